# SPDX-License-Identifier: GPL-2.0-only
"""Shows that a change of the code changes no behaviour.

        ./venv python -m tests.digests record DIR       runs every command; keeps the output in DIR and its digest here
        ./venv python -m tests.digests compare          runs every command, and names those whose digests differ
        ./venv python -m tests.digests calls OLD NEW    compares two such folders: what only one of them has

A change of the host's code leaves every digest as it was. A change of an image may move functions, and thereby times: then
`calls` lists the differences in guest output, exit status, and in which function calls which.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from emu.architectures import ARCHITECTURES
from tests.digests.calls import calls, written
from tests.digests.commands import COMMANDS, Command

_RECORDED = Path(__file__).with_name("recorded.json")


def _outcome(command: Command) -> str:
    """Exit status, guest output and trace of a command."""
    done = subprocess.run(
        [sys.executable, "-m", "emu", *command.arguments],
        input=command.stdin.encode(), capture_output=True, check=False,
    )  # fmt: skip
    text = f"status {done.returncode}\n--- standard error\n".encode() + done.stderr + b"--- standard output\n" + done.stdout
    return text.decode(errors="backslashreplace")


def _outcomes() -> dict[str, str]:
    with ThreadPoolExecutor(2) as pool:
        found = {}
        for command, text in zip(COMMANDS, pool.map(_outcome, COMMANDS), strict=True):
            print(f"{command.name}: {len(text)} bytes", file=sys.stderr, flush=True)
            found[command.name] = text
    return found


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _file(directory: Path, name: str) -> Path:
    return directory / (name.replace(": ", "-").replace(", ", "-").replace(" ", "-") + ".txt")


def _record(directory: Path) -> int:
    outcomes = _outcomes()
    directory.mkdir(parents=True, exist_ok=True)
    for name, text in outcomes.items():
        _file(directory, name).write_text(text)
    digests = {name: _digest(text) for name, text in outcomes.items()}
    _RECORDED.write_text(json.dumps(digests, indent=1) + "\n")
    return 0


def _compare() -> int:
    recorded = json.loads(_RECORDED.read_text())
    differing = [name for name, text in _outcomes().items() if recorded.get(name) != _digest(text)]
    for name in differing:
        print(f"{name}: another digest")
    print(f"{len(COMMANDS) - len(differing)} of {len(COMMANDS)} commands have the recorded digest")
    return 1 if differing else 0


def _differences(old: Path, new: Path) -> Iterator[str]:
    """A line for each command with different output, and for each call that is only in one folder's traces."""
    for command in COMMANDS:
        was, now = (written(_file(folder, command.name).read_text()) for folder in (old, new))
        if was != now:
            gone, come = ([line for line in lines if line not in others] for lines, others in ((was, now), (now, was)))
            yield f"{command.name}: {len(was)} lines written, now {len(now)}; gone: {gone}, new: {come}"
    for arch in ARCHITECTURES:
        texts = [[_file(folder, c.name).read_text() for c in COMMANDS if c.name.startswith(arch)] for folder in (old, new)]
        before, after = (set[tuple[str, str]]().union(*map(calls, traces)) for traces in texts)
        for verb, different in (("no longer calls", before - after), ("now calls", after - before)):
            for caller, function in sorted(different):
                yield f"{arch}: {caller} {verb} {function}"


def _calls(old: Path, new: Path) -> int:
    lines = list(_differences(old, new))
    print("\n".join(lines) or "the same calls, and the same was written")
    return 1 if lines else 0


def main(arguments: list[str]) -> int:
    match arguments:
        case ["record", directory]:
            return _record(Path(directory))
        case ["compare"]:
            return _compare()
        case ["calls", old, new]:
            return _calls(Path(old), Path(new))
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
