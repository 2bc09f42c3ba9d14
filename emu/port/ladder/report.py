# SPDX-License-Identifier: GPL-2.0-only
"""What `emu port check` prints about a rung that has failed."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping

from emu.port import seam
from emu.port.finished import where
from emu.port.ladder.climbing import Failure, Outcome
from emu.port.ladder.rung import Rung

__all__ = ["describe", "relevant"]

_WIDTH = 120
_COLUMNS = 4  # registers on a line


def relevant(rung: Rung, outcome: Outcome, arch: str) -> list[seam.Part]:
    """The parts that a failed rung is about; those that were being executed come before the others."""
    functions = outcome.failure.functions if outcome.failure else []
    running = [
        part for file, name in functions for part in seam.parts()
        if part.in_port(arch) == file and part.name.rpartition(".")[2] == name
    ]  # fmt: skip
    earlier = [part for part in seam.parts() if part.name in rung.parts]
    return list(dict.fromkeys([*running, *earlier, *(seam.parts(rung.name) if rung.name in seam.RUNGS else ())]))


def describe(rung: Rung, outcome: Outcome, arch: str) -> str:
    """The whole text about a failed rung."""
    assert outcome.failure is not None
    return "\n".join(_lines(rung, outcome, outcome.failure, arch)) + "\n"


def _lines(rung: Rung, outcome: Outcome, failure: Failure, arch: str) -> Iterator[str]:
    yield f"{rung.name}: FAILED: {rung.title}"
    if failure.expected:
        yield from _block("expected", failure.expected)
    yield from _block("seen", failure.seen)
    if failure.functions:
        yield from _block("in", "\n".join(f"{name}, {file}" for file, name in failure.functions))
    if failure.registers:
        yield "  registers"
        yield from _registers(failure.registers)
    if failure.code:
        yield "  code"
        yield from (f"    {line}" for line in failure.code)
    found = relevant(rung, outcome, arch)
    if found:
        yield "  functions to write, or to look at"
        for part in found:
            yield from _part(part, arch)


def _block(title: str, text: str) -> Iterator[str]:
    yield f"  {title}"
    for line in text.splitlines():
        yield from textwrap.wrap(line, _WIDTH, initial_indent="    ", subsequent_indent="    ", drop_whitespace=False) or ["    "]


def _registers(registers: Mapping[str, int]) -> Iterator[str]:
    shown = [f"{name:>9} {value:016x}" for name, value in registers.items()]
    for n in range(0, len(shown), _COLUMNS):
        yield "  " + " ".join(shown[n : n + _COLUMNS])


def _part(part: seam.Part, arch: str) -> Iterator[str]:
    yield f"    {part.name}  {part.in_port(arch)}{'  (optional)' * part.optional}"
    if part.what:
        yield from textwrap.wrap(" ".join(part.what.split()), _WIDTH, initial_indent=" " * 8, subsequent_indent=" " * 8)
    ports = ", ".join(where(part, but=arch))
    yield f"        docs/architecture-seam.md, {part.section}{f'; as in {ports}' if ports else ''}"
