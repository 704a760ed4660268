"""What wrong programs in the process of their tests begin with: ways to what the tests are, and equal objects."""

from __future__ import annotations

from .case import source

FRAME = source(
    """
    import sys

    def tests():
        frame = sys._getframe(1)
        while frame.f_code.co_filename != "<tests>":
            frame = frame.f_back
        return frame

    """
)
NEXT_CONSTANT = FRAME + source(
    """
    import dis

    def stolen():
        frame = tests()
        for step in dis.get_instructions(frame.f_code):
            if step.offset > frame.f_lasti and step.opname == "LOAD_CONST":
                return step.argval
            if step.offset > frame.f_lasti and step.opname == "BUILD_LIST":
                return []
    """
)
RUN = source(
    """
    import gc, sys

    def run():
        for found in gc.get_objects():
            if type(found).__name__ == "Run" and type(found).__module__ == "inprocess":
                return found
    """
)
EQUAL = source(
    """
    class Equal:
        __hash__ = None
        def __eq__(self, other):
            return True
        def __ne__(self, other):
            return False
        def __getattr__(self, name):
            return Equal()
        def __call__(self, *args, **kwargs):
            return Equal()
        def __abs__(self):
            return 0.0
        def __sub__(self, other):
            return self
        def __await__(self):
            yield
            return self
    """
)
ZERO = "\ndef f(node):\n    return 0\n"
INSIDE = source(
    """
    import sys

    def inside():
        frame = sys._getframe(1)
        while "inprocess" not in frame.f_globals:
            frame = frame.f_back
        return frame.f_globals["inprocess"]

    inprocess = inside()
    codec, frames, recorder, suites = inprocess.codec, inprocess.frames, inprocess.recorder, inprocess.suites
    Progress = suites.find_and_run.__globals__["Progress"]
    """
)
