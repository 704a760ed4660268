"""A zygote without isolation, for programs of codejury's own on machines that give no tier.

Run as `python -s -S plain.py CONTROL_FDS OPTIONS`.
"""

from __future__ import annotations

import json
import os
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))

if __name__ == "__main__":
    options = json.loads(sys.argv[2])
    sys.path.insert(0, FOLDER)
    sys.path[:0] = sorted({os.path.dirname(path) for path in options["files"]})
    kept = [os.dup(int(fd)) for fd in sys.argv[1].split(",")]
    for number, fd in enumerate(kept, 3):
        os.dup2(fd, number)
    os.closerange(3 + len(kept), 4096)
    import zygote

    zygote.main(options)
