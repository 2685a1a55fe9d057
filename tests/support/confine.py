"""Run one program in the sandbox and print how it ended; a program of its own so that tests can run it as anybody.

usage: confine.py <SPEC.json, with SPEC the fields of a view and a job; prints an outcome as JSON
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from generator.execute.sandbox import NoSandbox, probe
from generator.execute.view import Bind, View
from generator.runtime.launch import Job, Limits


def main() -> None:
    spec = json.load(sys.stdin)
    sandbox = probe()
    if isinstance(sandbox, NoSandbox):
        sys.exit(f"{sandbox.reason}; {sandbox.mend}")
    view = View(**{**spec["view"], "binds": tuple(Bind(*bind) for bind in spec["view"]["binds"])})
    for bind in view.binds:
        if bind.writable:
            sandbox.own(bind.source)
    job = Job(tuple(spec["argv"]), spec["env"], "/", Limits(**spec["limits"]))
    outcome = sandbox.run(view, job)
    print(
        json.dumps(
            {
                "exit_code": outcome.exit_code,
                "timed_out": outcome.timed_out,
                "signals": outcome.signals,
                "text": outcome.text,
                "error": outcome.error,
                "output_bytes": outcome.output_bytes,
                "sandbox": sandbox.description,
            }
        )
    )


main()
