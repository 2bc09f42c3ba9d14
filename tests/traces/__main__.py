# SPDX-License-Identifier: GPL-2.0-only
"""Records the traces of this folder anew, after a change that is meant to change them.

        ./venv python -m tests.traces record            replaces every TRACE
        ./venv python -m tests.traces record NAME ...   only those of test_NAME.py

The machine runs without the witness here: as the tests see the same trace, the witness changes nothing.
"""

from __future__ import annotations

import argparse
import importlib
import re
import shlex
import subprocess
import sys
from pathlib import Path

_FOLDER = Path(__file__).parent
_TRACE = re.compile(r'(?<=^TRACE = """\\\n).*?(?=^"""$)', re.MULTILINE | re.DOTALL)


def output_of(command: str) -> str:
    """The output of `emu run ...`, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", *shlex.split(command)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{command}: exit status {done.returncode}\n{done.stdout}")
    return done.stdout


def record(path: Path) -> bool:
    """Replaces TRACE in a file. Returns whether the trace has changed."""
    module = importlib.import_module(f"tests.traces.{path.stem}")
    trace = output_of(module.COMMAND)
    if "\\" in trace or '"""' in trace:
        raise SystemExit(f"{path.name}: the trace cannot stand in a Python string as it is:\n{trace}")
    source = path.read_text()
    recorded, places = _TRACE.subn(lambda _: trace, source)
    if places != 1:
        raise SystemExit(f'{path.name}: needs one TRACE = """\\')
    path.write_text(recorded)
    return recorded != source


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.traces", description="Records the traces of tests/traces anew.")
    parser.add_argument("action", choices=["record"])
    names = sorted(path.stem.removeprefix("test_") for path in _FOLDER.glob("test_*.py"))
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(names))
    chosen = parser.parse_args().names or names
    if unknown := set(chosen) - set(names):
        parser.error(f"no such trace: {', '.join(sorted(unknown))}")
    for name in chosen:
        print(f"{name}: {'another trace' if record(_FOLDER / f'test_{name}.py') else 'the same'}")


if __name__ == "__main__":
    main()
