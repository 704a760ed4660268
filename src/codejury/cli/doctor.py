"""The command on the machine itself."""

from __future__ import annotations

import asyncio

import typer

from codejury.cli.common import check_writable, output
from codejury.cli.main import JsonOption, PythonOption, QuietOption, app
from codejury.model.errors import InfrastructureError


@app.command()
def doctor(python: PythonOption = None, json: JsonOption = None, quiet: QuietOption = False) -> None:
    """Say which isolation this machine gives, why a layer is missing, what to do; exit code 3 if there is none."""
    from codejury.pipeline import doctor as look
    from codejury.report import doctor_report, write_json

    check_writable(json)
    document = asyncio.run(look(python))
    if json is not None:
        write_json(document, json)
    if not quiet and json != "-":
        output(doctor_report(document))
    if document.tier is None:
        raise typer.Exit(InfrastructureError.exit_code)
