"""Keywords of the languages, as their specifications reserve them; literals such as `true` and `None` included."""

from __future__ import annotations

_C = (
    "auto break case char const continue default do double else enum extern float for goto if inline int long"
    " register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while"
    " _Alignas _Alignof _Atomic _Bool _Complex _Generic _Imaginary _Noreturn _Static_assert _Thread_local"
)
_JAVASCRIPT = (
    "await break case catch class const continue debugger default delete do else enum export extends false"
    " finally for function if import in instanceof let new null return static super switch this throw true try"
    " typeof var void while with yield"
)

_RESERVED = {
    "python": (
        "False None True and as assert async await break class continue def del elif else except finally for from"
        " global if import in is lambda nonlocal not or pass raise return try while with yield"
    ),
    "javascript": _JAVASCRIPT,
    "typescript": (f"{_JAVASCRIPT} implements interface package private protected public"),
    "java": (
        "abstract assert boolean break byte case catch char class const continue default do double else enum"
        " extends false final finally float for goto if implements import instanceof int interface long native new"
        " null package private protected public return short static strictfp super switch synchronized this throw"
        " throws transient true try void volatile while"
    ),
    "go": (
        "break case chan const continue default defer else fallthrough for func go goto if import interface map"
        " package range return select struct switch type var"
    ),
    "rust": (
        "Self abstract as async await become box break const continue crate do dyn else enum extern false final"
        " fn for if impl in let loop macro match mod move mut override priv pub ref return self static struct"
        " super trait true try type typeof unsafe unsized use virtual where while yield"
    ),
    "c": _C,
    "cpp": (
        f"{_C} "
        "alignas alignof and and_eq asm bitand bitor bool catch char16_t char32_t char8_t class co_await"
        " co_return co_yield compl concept const_cast consteval constexpr constinit decltype delete dynamic_cast"
        " explicit export false friend mutable namespace new noexcept not not_eq nullptr operator or or_eq private"
        " protected public reinterpret_cast requires static_assert static_cast template this thread_local throw"
        " true try typeid typename using virtual wchar_t xor xor_eq"
    ),
    "c-sharp": (
        "abstract as base bool break byte case catch char checked class const continue decimal default delegate"
        " do double else enum event explicit extern false finally fixed float for foreach goto if implicit in int"
        " interface internal is lock long namespace new null object operator out override params private protected"
        " public readonly ref return sbyte sealed short sizeof stackalloc static string struct switch this throw"
        " true try typeof uint ulong unchecked unsafe ushort using virtual void volatile while"
    ),
    "ruby": (
        "BEGIN END __ENCODING__ __FILE__ __LINE__ alias and begin break case class def do else elsif end ensure"
        " false for if in module next nil not or redo rescue retry return self super then true undef unless until"
        " when while yield"
    ),
    "php": (
        "__halt_compiler abstract and array as break callable case catch class clone const continue declare"
        " default die do echo else elseif empty enddeclare endfor endforeach endif endswitch endwhile eval exit"
        " extends final finally fn for foreach function global goto if implements include include_once instanceof"
        " insteadof interface isset list match namespace new or print private protected public readonly require"
        " require_once return static switch throw trait try unset use var while xor yield"
    ),
    "kotlin": (
        "as break class continue do else false for fun if in interface is null object package return super this"
        " throw true try typealias typeof val var when while"
    ),
    "bash": ("case coproc do done elif else esac fi for function if in select then time until while"),
}

KEYWORDS = {name: frozenset(words.split()) for name, words in _RESERVED.items()}
"""Language -> its reserved words."""

_CROSSCODEEVAL = {
    "python": (
        "None and as assert async await break class continue def del elif else except finally for from global if"
        " import in is lambda nonlocal not or pass raise return try while with yield"
    ),
    "java": (
        "abstract assert boolean break byte case catch char class const continue default do double else enum"
        " extends final finally float for goto if implements import instanceof int interface long native new"
        " package private protected public return short static strictfp super switch synchronized this throw"
        " throws transient try var void volatile while"
    ),
    "c-sharp": (
        "abstract as base bool break byte case catch char checked class const continue decimal default delegate"
        " do double else enum event explicit extern finally fixed float for foreach goto if implicit in int"
        " interface internal is lock long namespace new null object operator out override params private protected"
        " public readonly ref return sbyte sealed short sizeof stackalloc static string struct switch this throw"
        " try typeof uint ulong unchecked unsafe ushort using virtual void volatile while"
    ),
    "typescript": (
        "break case catch class const continue debugger default delete do else enum export extends finally for"
        " function if implements import in instanceof interface let new package private protected public return"
        " static super switch this throw try typeof var void while with yield"
    ),
}

CROSSCODEEVAL = {name: frozenset(words.split()) for name, words in _CROSSCODEEVAL.items()}
"""The languages of CrossCodeEval, and what it takes for their keywords: `True` and `false` are identifiers."""
