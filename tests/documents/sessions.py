# SPDX-License-Identifier: GPL-2.0-only
"""Sessions in the documents: commands `$ emu ...`, and Python's `>>>`, each with its output.

    ./venv python -m tests.documents.sessions README.md docs/latency.md ...

runs the sessions of documents and replaces the output in them. If the output contains `...`, which matches anything, and does not
match what is printed, both are shown: a person decides what the document should show.
"""

from __future__ import annotations

import doctest
import itertools
import os
import re
import shlex
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

__all__ = ["ROOT", "Session", "as_shown", "files_of", "sessions"]

ROOT = Path(__file__).resolve().parents[2]
_INDENT = "    "


class Session(NamedTuple):
    """A command of a document: its words after `emu`, the output in the document, and where that is."""

    command: str
    shown: str
    start: int  # of the output, in characters
    end: int


def sessions(text: str) -> Iterator[Session]:
    """The commands `$ emu ...` in a document's indented blocks."""
    for block in re.finditer(r"(?:^(?:    .*)?\n)+", text, re.MULTILINE):
        starts = [found.start() for found in re.finditer(r"^    \$ ", block[0], re.MULTILINE)]
        for start, end in itertools.pairwise([*starts, len(block[0])]):
            found = re.match(r"    \$ emu ((?:.*\\\n)*.*\n)", block[0][start:end])
            if found is None:
                continue
            output = re.sub(r"\n+\Z", "\n", block[0][start + found.end() : end])
            begin = block.start() + start + found.end()
            command = found[1].replace("\\\n", "").rstrip("\n")
            yield Session(command, re.sub(f"^{_INDENT}", "", output, flags=re.MULTILINE), begin, begin + len(output))


def as_shown(shown: str, printed: str) -> bool:
    """Whether output matches that of a document, in which `...` matches anything. Empty lines at the end do not count."""
    return doctest.OutputChecker().check_output(shown.rstrip("\n") + "\n", printed.rstrip("\n") + "\n", doctest.ELLIPSIS)


def files_of(text: str, folder: Path) -> None:
    """Creates what a document's sessions need: the files whose contents it shows, and a link to emu."""
    for name, content in re.findall(r"^```\w*\n# (\S+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        (folder / name).write_text(f"# {name}\n{content}")
    (folder / "emu").symlink_to(ROOT / "emu")


def _record_commands(path: Path) -> None:
    text = path.read_text()
    with tempfile.TemporaryDirectory() as folder:
        files_of(text, Path(folder))
        pieces, place = [], 0
        for session in sessions(text):
            command = [sys.executable, "-m", "emu", *shlex.split(session.command)]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
            printed = done.stdout or done.stderr
            nothing = session.shown.strip() == "..."
            if nothing or not as_shown(session.shown, printed):
                print(f"{path}: $ emu {session.command}\n{printed}")
                if nothing or "..." not in session.shown:
                    pieces += [text[place : session.start], textwrap.indent(printed, _INDENT).rstrip("\n") + "\n"]
                    place = session.end
        path.write_text("".join([*pieces, text[place:]]))


class _Recorder(doctest.DocTestRunner):
    """Replaces the expected output of examples by their actual output."""

    def __init__(self) -> None:
        super().__init__(verbose=False)
        self.changed: list[tuple[doctest.Example, str]] = []

    def report_failure(self, out: object, test: doctest.DocTest, example: doctest.Example, got: str) -> None:
        self._say(f"{test.name}: >>> {example.source}{got}")
        if "..." not in example.want:
            self.changed.append((example, got))

    def report_unexpected_exception(self, out: object, test: doctest.DocTest, example: doctest.Example, exc_info: object) -> None:
        self._say(f"{test.name}: >>> {example.source}{exc_info}")

    @staticmethod
    def _say(text: str) -> None:
        print(text, file=sys.__stdout__)  # sys.stdout is redirected for the examples


def _record_python(path: Path) -> None:
    text = path.read_text()
    test = doctest.DocTestParser().get_doctest(text, {}, path.name, str(path), 0)
    recorder = _Recorder()
    recorder.run(test, out=lambda line: None)
    lines = text.splitlines(keepends=True)
    for example, got in reversed(recorder.changed):
        begin = example.lineno + example.source.count("\n")
        new = textwrap.indent(got, " " * example.indent)
        lines[begin : begin + example.want.count("\n")] = new.splitlines(keepends=True)
    path.write_text("".join(lines))


def main() -> None:
    os.environ["COLUMNS"] = "80"
    for name in sys.argv[1:]:
        _record_commands(Path(name))
        _record_python(Path(name))


if __name__ == "__main__":
    main()
