"""A zygote without isolation, for programs of codejury's own on machines that give no tier.

Run as `python -s -S plain.py CONTROL_FD OPTIONS`.
"""

import json
import os
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))

if __name__ == "__main__":
    options = json.loads(sys.argv[2])
    sys.path.insert(0, FOLDER)
    sys.path[:0] = sorted({os.path.dirname(path) for path in options["files"]})
    os.dup2(int(sys.argv[1]), 3)
    os.closerange(4, 4096)
    import zygote

    zygote.main(options)
