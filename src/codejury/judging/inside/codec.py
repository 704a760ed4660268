"""Value protocol v1: plain values between judge and candidate, as JSON.

Scalars and lists stand for themselves; everything else is an object with one key, its tag (docs/protocol.md lists
them). Exact types only: a subclass could carry behaviour. Containers that can change have an identity: within one
frame and across frames a second mention is a reference `{"*": [frame, index]}`, where `index` counts the
containers of that frame in the order in which they open.

The judge never unpickles or unmarshals what a candidate wrote. Standard library alone; from Python 3.9 on.
"""

from __future__ import annotations

from json.decoder import JSONDecoder
from json.encoder import JSONEncoder

from reading import READ, Reader, make_exception, replace
from writing import COMPARED, HUGE, MAX_DEPTH, MAX_ITEMS, SCALARS, WRITE, Rejected, Writer, write_exception

TYPE_CHECKING = False  # typing is one module more in each process
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "COMPARED",
    "HOSTILE",
    "HUGE",
    "MAX_DEPTH",
    "MAX_ITEMS",
    "READ",
    "SCALARS",
    "WRITE",
    "Reader",
    "Rejected",
    "Writer",
    "content_text",
    "dumps",
    "loads",
    "make_exception",
    "replace",
    "write_exception",
]

HOSTILE = (
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    AttributeError,
    RuntimeError,
    ArithmeticError,
    ImportError,  # numpy, where it is not there
    SyntaxError,  # of its dtypes
)

dumps = JSONEncoder(check_circular=False, allow_nan=False, separators=(",", ":")).encode
_scan = JSONDecoder().scan_once  # type: ignore[attr-defined] # the stubs leave it out


def loads(text: str) -> Any:
    """JSON of hostile origin; raises one of HOSTILE."""
    try:
        value, end = _scan(text, 0)
    except StopIteration:
        raise ValueError("not JSON") from None
    if end != len(text):
        raise ValueError("trailing text")
    return value


def content_text(x: Any, caught: type[BaseException] | tuple[type[BaseException], ...]) -> str:
    """JSON text of a container's content; what does not cross is told apart by its identity alone.

    Args:
        x: The container.
        caught: The exceptions by which a value does not cross.
    """
    try:
        return dumps(Writer(COMPARED, {}).content(x))
    except caught:
        return str(id(x))
