"""codejury: the whole way from the files to the figures, with a fresh store; refuses less than the full wall."""

import asyncio
import json
import sys
import time

from codejury.model import Limits
from codejury.pipeline import JudgeSettings, judge, summarise
from codejury.store import Store

job = json.loads(sys.argv[1])
started = time.perf_counter()
with Store.open(f"{job['samples']}-{time.monotonic_ns()}.db") as store:
    settings = JudgeSettings(
        samples=job["samples"],
        problems=job["problems"],
        slots=job["slots"],
        limits=Limits(cpu_s=job["seconds"], cpu_total_s=10 * job["seconds"]),
    )
    document = summarise(store, asyncio.run(judge(store, settings)), [1])
seconds = time.perf_counter() - started
if document.integrity.weak or document.tier != "namespaces" or document.infra_errors:
    sys.exit(f"less than the full wall: {document.integrity}, tier {document.tier}")
if document.programs != document.samples:
    sys.exit(
        f"{document.programs} programs of {document.samples} samples: copies are judged once, and that is no race"
    )
passed = {row.id: row.c for row in document.per_problem}
print(json.dumps([seconds, document.samples, sum(passed.values())]))
