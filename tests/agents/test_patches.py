"""Security findings of what rollouts wrote: whole programs, and the lines that a patch adds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codejury.agents.patches import scan_patch, scanned
from codejury.model import LocatedRollout, Rollout

HEAD = "diff --git a/x/y.py b/x/y.py\n--- a/x/y.py\n+++ b/x/y.py\n"


def _patch(hunk: str, head: str = HEAD) -> str:
    return head + hunk


INDENTED = """@@ -10,6 +10,8 @@ def f():
         a = 1
         b = 2
         eval(old)
+        os.system(cmd + a)
+        return eval(z)
\x20
     def g(self):
         pass
"""

IN_A_STRING = """@@ -1,3 +1,4 @@
 end of a text
 \"\"\"
+eval(x)
 y = 1
"""

REMOVED = """@@ -1,2 +1,2 @@
 import pickle
-pickle.load(f)
+json.load(f)
"""

NEW_FILE = """@@ -0,0 +1,2 @@
+import os
+os.system(name)
\\ No newline at end of file
"""

CUT = """@@ -1,6 +1,8 @@
 except ValueError:
+    eval(a)
     pass
     x(
+    1)
     )
     ]
"""


@pytest.mark.parametrize(
    ("hunk", "expected"),
    [
        (INDENTED, [("os-system", 13), ("eval", 14)]),
        (IN_A_STRING, [("eval", 3)]),
        (REMOVED, []),
        (NEW_FILE, [("os-system", 2)]),
        (CUT, [("eval", 2)]),
        ("@@ -1 +1,2 @@\n a = 1\n+# a word\n", []),
    ],
)
def test_findings_are_on_added_lines(hunk: str, expected: list[tuple[str, int]]) -> None:
    """With the line of the file after the patch; what was there before is not the agent's."""
    found = scan_patch(_patch(hunk))
    assert found.unscannable is None
    assert expected == [(finding.rule, finding.line) for finding in found.findings]
    assert {"x/y.py"} >= {finding.path for finding in found.findings}


@pytest.mark.parametrize(
    ("patch", "reason"),
    [
        ("", "no Python file is added to"),
        ("hello", "no Python file is added to"),
        (_patch("@@ -1 +1,2 @@\n a\n+eval(x)\n", HEAD.replace(".py", ".js")), "no Python file is added to"),
        (_patch("@@ -1 +1,2 @@\n a\n+def (:\n"), "what is added at x/y.py:1 does not parse"),
    ],
)
def test_what_cannot_be_scanned_is_not_clean(patch: str, reason: str) -> None:
    """Nothing can be said then, and that is said."""
    found = scan_patch(patch)
    assert (reason, ()) == (found.unscannable, found.findings)


def test_several_files() -> None:
    """Each with its own name; a removed file adds nothing."""
    second = "--- a/z.py\n+++ b/z.py\n@@ -1 +1 @@\n-a\n+exec(b)\n"
    gone = "--- a/gone.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-eval(x)\n"
    found = scan_patch(_patch(NEW_FILE) + gone + second)
    assert [("x/y.py", "os-system"), ("z.py", "exec")] == [(f.path, f.rule) for f in found.findings]


@given(st.text(alphabet="+- @\\\n1,abc()\"'\t#:e", max_size=300))
def test_any_text_is_survived(text: str) -> None:
    """A patch may be anything."""
    assert isinstance(scan_patch(_patch("@@ -1,9 +1,9 @@\n" + text)).findings, tuple)
    assert isinstance(scan_patch(text).findings, tuple)


def _located(**fields: object) -> LocatedRollout:
    values: dict[str, object] = {"task": "t", "agent": "a", "rollout": "0", "resolved": True}
    return LocatedRollout(Rollout(**values | fields), "x")  # type: ignore[arg-type]


def test_scan_goes_before_a_given_score() -> None:
    """Code first, then a patch; a text that cannot be scanned leaves what was given."""
    found = scanned(_located(code="eval(x)\nexec(y)\n", patch=_patch(NEW_FILE), security_score=1.0)).rollout
    assert (5 / 7, ["eval", "exec"]) == (found.security_score, [f.rule for f in found.findings or ()])
    found = scanned(_located(patch=_patch(REMOVED))).rollout
    assert (1.0, ()) == (found.security_score, found.findings)
    for unscannable in (_located(security_score=0.5), _located(security_score=0.5, code="def (")):
        assert unscannable == scanned(unscannable)
