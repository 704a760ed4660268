"""A zygote in the host's own tree of files: tier "landlock", and "none", which is for programs of codejury's own.

Run as `python -s -S -B plain.py OPTIONS`, with the control sockets as descriptors 3 and on.
"""

from __future__ import annotations

import json
import os
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))

if __name__ == "__main__":
    options = json.loads(sys.argv[1])
    sys.path.insert(0, FOLDER)
    sys.path[:0] = sorted({os.path.dirname(path) for path in options["files"]})
    import zygote

    zygote.main(options)
