"""The table of languages: their grammars, and what of a syntax tree counts.

Types and fields are those of the grammars' `node-types.json`. A role is `type.field`: the type of a node's parent
and the field that the node has in it, with nothing after the dot for a node without a field.
"""

from __future__ import annotations

import builtins
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from codejury.model import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Language as Grammar

Names = frozenset[str]


def _words(text: str) -> Names:
    return frozenset(text.split())


_COMMENTS = _words("comment line_comment block_comment line_continuation")
_PUNCTUATION = frozenset(b"( ) [ ] { } , ; : . :: \" ' ` \"\"\" ''' ${ $( #{ $".split())


def _nothing_foreign(_: str) -> bool:
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """What is known about a language.

    Attributes:
        name: The name in pairs.
        module: The module of the grammar's wheel.
        aliases: Other names, endings of files among them.
        function: What gives the grammar.
        comments: Types of nodes that are left out with all that is below them.
        punctuation: Texts of tokens that are left out, as the tree's form says the same.
        quotes: Types of leaves that count without their quotes: what is left is a prefix, as of `f"`.
        meaningful: Roles in which punctuation is kept: there it tells what the form does not.
        identifiers: Types of leaves that may be the name of a variable.
        shorthand: Types of leaves that are a variable and a name of something else at once: never renamed.
        scopes: Types of functions.
        binders: Roles in which a variable gets bound.
        patterns: Roles in which it is bound if the node above is.
        members: Roles that are no variables: attributes, names of arguments.
        tails: Types whose children but for the first are members.
        outer: Roles whose names are not local unless they are bound: functions that are called, types, imports.
        free: Whether a name that nothing seen binds may be local.
        foreign: Tells names that the language or its environment gives.
    """

    name: str
    module: str
    aliases: tuple[str, ...] = ()
    function: str = "language"
    comments: Names = _COMMENTS
    punctuation: frozenset[bytes] = _PUNCTUATION
    quotes: Names = frozenset()
    meaningful: Names = frozenset()
    identifiers: Names = frozenset({"identifier"})
    shorthand: Names = frozenset()
    scopes: Names = frozenset()
    binders: Names = frozenset()
    patterns: Names = frozenset()
    members: Names = frozenset()
    tails: Names = frozenset()
    outer: Names = frozenset()
    free: bool = True
    foreign: Callable[[str], bool] = field(default=_nothing_foreign)


_PYTHON = Language(
    name="python",
    module="tree_sitter_python",
    aliases=("py", "python3"),
    quotes=_words("string_start string_end"),
    meaningful=_words("slice.:"),
    scopes=_words("function_definition"),
    binders=_words(
        "assignment.left augmented_assignment.left for_statement.left for_in_clause.left named_expression.name"
        " parameters. lambda_parameters. default_parameter.name typed_default_parameter.name as_pattern.alias"
        " case_clause."
    ),
    patterns=_words(
        "pattern_list. tuple_pattern. list_pattern. list_splat_pattern. dictionary_splat_pattern. typed_parameter."
        " as_pattern_target. case_pattern. dotted_name. splat_pattern."
    ),
    members=_words("attribute.attribute keyword_argument.name"),
    outer=_words(
        "attribute.object call.function decorator. type. function_definition.name class_definition.name"
        " dotted_name. aliased_import.alias"
    ),
    foreign=frozenset(dir(builtins)).__contains__,
)
_ELEMENTS = _words("jsx_opening_element.name jsx_closing_element.name jsx_self_closing_element.name")
_JAVASCRIPT = Language(
    name="javascript",
    module="tree_sitter_javascript",
    aliases=("js", "jsx", "mjs", "cjs"),
    comments=_COMMENTS | {"html_comment"},
    meaningful=_words("for_statement.;"),
    shorthand=_words("shorthand_property_identifier shorthand_property_identifier_pattern"),
    scopes=_words(
        "function_declaration function_expression arrow_function method_definition generator_function"
        " generator_function_declaration"
    ),
    binders=_words(
        "variable_declarator.name formal_parameters."
        " for_in_statement.left catch_clause.parameter arrow_function.parameter"
    ),
    patterns=_words("array_pattern. object_pattern. pair_pattern.value assignment_pattern.left rest_pattern."),
    outer=_words(
        "call_expression.function new_expression.constructor member_expression.object import_clause."
        " import_specifier.name import_specifier.alias namespace_import. export_specifier.name class_heritage."
        " function_declaration.name function_expression.name class_declaration.name decorator."
        " generator_function_declaration.name"
    )
    | _ELEMENTS,
)
_TYPESCRIPT = replace(
    _JAVASCRIPT,
    name="typescript",
    module="tree_sitter_typescript",
    aliases=("ts", "mts", "cts"),
    function="language_typescript",
    binders=_JAVASCRIPT.binders | _words("required_parameter.pattern optional_parameter.pattern"),
    outer=(_JAVASCRIPT.outer - _ELEMENTS)
    | _words("enum_declaration.name extends_clause.value internal_module.name nested_identifier."),
)
_TSX = replace(
    _TYPESCRIPT,
    name="tsx",
    aliases=("typescriptreact",),
    function="language_tsx",
    outer=_TYPESCRIPT.outer | _ELEMENTS,
)
_JAVA = Language(
    name="java",
    module="tree_sitter_java",
    meaningful=_words("for_statement.;"),
    scopes=_words("method_declaration constructor_declaration compact_constructor_declaration"),
    binders=_words(
        "local_variable_declaration.declarator spread_parameter. formal_parameter.name enhanced_for_statement.name"
        " resource.name catch_formal_parameter.name inferred_parameters. lambda_expression.parameters"
        " instanceof_expression.name type_pattern."
    ),
    patterns=_words("variable_declarator.name"),
    members=_words(
        "field_access.field method_invocation.name method_declaration.name element_value_pair.key"
        " method_reference."
    ),
    outer=_words(
        "field_access.object method_invocation.object scoped_identifier.scope scoped_identifier.name"
        " marker_annotation.name annotation.name variable_declarator.name enum_constant.name"
        " class_declaration.name interface_declaration.name constructor_declaration.name"
        " enum_declaration.name record_declaration.name"
        " labeled_statement. break_statement. continue_statement. package_declaration. import_declaration."
    ),
)
_GO = Language(
    name="go",
    module="tree_sitter_go",
    aliases=("golang",),
    meaningful=_words("slice_expression.: for_clause.;"),
    scopes=_words("function_declaration method_declaration func_literal"),
    binders=_words(
        "short_var_declaration.left range_clause.left var_spec.name const_spec.name parameter_declaration.name"
        " variadic_parameter_declaration.name type_switch_statement.alias receive_statement.left"
    ),
    patterns=_words("expression_list."),
    outer=_words(
        "call_expression.function selector_expression.operand function_declaration.name literal_element."
        " type_parameter_declaration.name"
    ),
    foreign=_words("iota _").__contains__,
)
_RUST = Language(
    name="rust",
    module="tree_sitter_rust",
    aliases=("rs",),
    meaningful=_words("array_expression.; token_tree.; array_type.;"),
    scopes=_words("function_item"),
    binders=_words(
        "let_declaration.pattern parameter.pattern closure_parameters. for_expression.pattern"
        " let_condition.pattern match_arm.pattern"
    ),
    patterns=_words(
        "match_pattern. tuple_pattern. tuple_struct_pattern. slice_pattern. ref_pattern. mut_pattern."
        " captured_pattern. or_pattern. reference_pattern. struct_pattern. field_pattern.pattern"
    ),
    shorthand=_words("shorthand_field_identifier"),
    outer=_words(
        "call_expression.function scoped_identifier.path scoped_identifier.name macro_invocation.macro"
        " function_item.name tuple_struct_pattern.type const_item.name static_item.name mod_item.name"
        " generic_function.function use_list. use_declaration.argument use_as_clause.alias scoped_use_list.path"
        " scoped_type_identifier.path token_tree. enum_variant.name attribute. macro_definition.name"
        " lifetime. label."
    ),
    foreign=lambda name: name[:1].isupper(),
)
_C = Language(
    name="c",
    module="tree_sitter_c",
    aliases=("h",),
    meaningful=_words("for_statement.;"),
    scopes=_words("function_definition"),
    binders=_words("declaration.declarator parameter_declaration.declarator"),
    patterns=_words(
        "init_declarator.declarator pointer_declarator.declarator array_declarator.declarator"
        " parenthesized_declarator. pointer_declarator."
    ),
    outer=_words(
        "call_expression.function function_declarator.declarator preproc_def.name preproc_function_def.name"
        " preproc_ifdef.name preproc_defined. enumerator.name preproc_call.argument"
    ),
)
_CPP = replace(
    _C,
    name="cpp",
    module="tree_sitter_cpp",
    aliases=("c++", "cc", "cxx", "hpp", "hh"),
    binders=_C.binders
    | _words(
        "optional_parameter_declaration.declarator for_range_loop.declarator lambda_capture_initializer.left"
        " variadic_parameter_declaration.declarator"
    ),
    patterns=_C.patterns | _words("reference_declarator. structured_binding_declarator. variadic_declarator."),
    outer=_C.outer
    | _words(
        "qualified_identifier.name template_function.name using_declaration. namespace_definition.name"
        " concept_definition.name operator_name. template_declaration."
    ),
)
_C_SHARP = Language(
    name="c-sharp",
    module="tree_sitter_c_sharp",
    aliases=("csharp", "c#", "cs", "c_sharp"),
    meaningful=_words("for_statement.;"),
    identifiers=_words("identifier implicit_parameter"),
    scopes=_words("method_declaration constructor_declaration local_function_statement"),
    binders=_words(
        "local_declaration_statement. for_statement.initializer using_statement. tuple_pattern.name parameter.name"
        " parameter_list.name foreach_statement.left catch_declaration.name declaration_expression.name"
        " lambda_expression.parameters declaration_pattern.name from_clause.name let_clause."
    ),
    patterns=_words("variable_declaration. variable_declarator.name"),
    members=_words("member_access_expression.name member_binding_expression.name argument.name"),
    outer=_words(
        "invocation_expression.function member_access_expression.expression generic_name. type_argument_list."
        " object_creation_expression.type variable_declarator.name class_declaration.name method_declaration.name"
        " property_declaration.name using_directive. using_directive.name qualified_name.qualifier"
        " qualified_name.name base_list. namespace_declaration.name attribute.name enum_member_declaration.name"
        " constructor_declaration.name cast_expression.type nullable_type.type array_type.type parameter.type"
        " variable_declaration.type method_declaration.returns property_declaration.type struct_declaration.name"
        " interface_declaration.name record_declaration.name enum_declaration.name catch_declaration.type"
        " local_function_statement.name local_function_statement.type typeof_expression.type"
        " foreach_statement.type declaration_expression.type declaration_pattern.type as_expression.right"
        " is_expression.right type_parameter.name file_scoped_namespace_declaration.name"
    ),
)
_RUBY = Language(
    name="ruby",
    module="tree_sitter_ruby",
    aliases=("rb",),
    scopes=_words("method singleton_method"),
    binders=_words(
        "assignment.left operator_assignment.left method_parameters. optional_parameter.name splat_parameter.name"
        " keyword_parameter.name hash_splat_parameter.name block_parameter.name block_parameters."
        " lambda_parameters. for.pattern exception_variable."
    ),
    patterns=_words(
        "left_assignment_list. destructured_parameter. destructured_left_assignment. rest_assignment."
    ),
    members=_words("call.method method.name singleton_method.name alias. undef."),
    foreign=_words("puts print p gets rand raise require private public protected attr_reader _").__contains__,
)
_PHP = Language(
    name="php",
    module="tree_sitter_php",
    aliases=("php8",),
    function="language_php_only",
    comments=_COMMENTS | {"php_tag", "php_end_tag"},
    meaningful=_words("for_statement.;"),
    identifiers=frozenset({"name"}),
    scopes=_words("function_definition method_declaration"),
    binders=_words("variable_name."),
    free=False,
    foreign=lambda name: name == "this" or name.startswith("_") or name == "GLOBALS",
)
_KOTLIN = Language(
    name="kotlin",
    module="tree_sitter_kotlin",
    aliases=("kt", "kts"),
    scopes=_words("function_declaration"),
    binders=_words("variable_declaration. parameter. catch_block."),
    tails=_words("navigation_expression"),
    outer=_words(
        "call_expression. navigation_expression. user_type. qualified_identifier. function_declaration.name"
        " class_declaration.name object_declaration.name class_parameter. import. enum_entry."
        " callable_reference. type_alias.type"
    ),
    foreign=frozenset({"it", "_"}).__contains__,
)
_BASH = Language(
    name="bash",
    module="tree_sitter_bash",
    aliases=("sh", "shell", "zsh"),
    identifiers=frozenset({"variable_name"}),
    scopes=_words("function_definition"),
    binders=_words("variable_assignment.name for_statement.variable declaration_command."),
    free=False,
    foreign=str.isupper,  # by custom, the names of the environment
)

LANGUAGES: tuple[Language, ...] = (
    _PYTHON,
    _JAVASCRIPT,
    _TYPESCRIPT,
    _TSX,
    _JAVA,
    _GO,
    _RUST,
    _C,
    _CPP,
    _C_SHARP,
    _RUBY,
    _PHP,
    _KOTLIN,
    _BASH,
)
"""All languages; `tsx` is TypeScript's second grammar."""

_BY_NAME = {name: language for language in LANGUAGES for name in (language.name, *language.aliases)}


def find(name: str) -> Language | None:
    """The language of a name or alias, in any case; None if there is no grammar for it."""
    return _BY_NAME.get(name.strip().lower())


@cache
def grammar(module: str, function: str) -> Grammar:
    """A grammar.

    Raises:
        UsageError: It is not installed.
    """
    try:
        from tree_sitter import Language as Loaded  # noqa: PLC0415 - of an extra

        return Loaded(getattr(import_module(module), function)())
    except ImportError as error:
        raise UsageError(
            f"{error.name or module} is not installed: trees need it; pip install 'codejury[completion]'"
        ) from error
    except (AttributeError, ValueError) as error:
        raise UsageError(
            f"{module} does not fit the parser: {error}; pip install --upgrade 'codejury[completion]'"
        ) from error
