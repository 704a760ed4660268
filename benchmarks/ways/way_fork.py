"""The limit: one preloaded interpreter forks for each program and runs it with its tests.

No isolation, no verdict but an exit status, one processor; endless programs are killed by an alarm.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

PRELOAD = (
    *("bisect", "collections", "copy", "functools", "hashlib", "heapq"),
    *("itertools", "math", "random", "re", "string", "typing"),
)
for module in PRELOAD:  # what programs import
    __import__(module)

job = json.loads(sys.argv[1])
started = time.perf_counter()
passed = 0
programs = json.loads(Path(job["programs"]).read_text())
for program in programs:
    child = os.fork()
    if child == 0:
        signal.setitimer(signal.ITIMER_REAL, job["seconds"])
        try:
            exec(program, {"__name__": "program"})  # noqa: S102 - to run them is the purpose, and they are ours
        except BaseException:  # noqa: BLE001 - whatever a program raises
            os._exit(1)
        os._exit(0)
    passed += os.waitpid(child, 0)[1] == 0
print(json.dumps([time.perf_counter() - started, len(programs), passed]))
