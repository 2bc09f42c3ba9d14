# SPDX-License-Identifier: GPL-2.0-only
"""The booted guest, for rungs: every command has a limit, and what goes wrong is a rung's failure."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from emu.machine import Machine
from emu.port.ladder.assembler import link_program
from emu.port.ladder.rung import RungFailed

__all__ = ["booted", "booted_with", "contains", "idle", "quiet", "run", "runs", "text_bytes", "traced"]

_BOOT, _COMMAND = 3_000_000_000, 10_000_000_000  # nanoseconds of virtual time
_HOST = 100.0  # seconds
_IDLE = 20_000_000  # cycles


@contextmanager
def booted(arch: str, cpus: int = 2, *, timing: str | None = "static", patching: str | None = None,
    shares: Sequence[str] = (), command_line: str = "") -> Iterator[Machine]:
    """A booted machine. `timing` None: the architecture's own model."""
    with Machine(arch=arch, cpus=cpus, seed=cpus, timing=timing, patching=patching, shares=shares, command_line=command_line,
                 boot_limit=_BOOT, boot_host_limit=_HOST) as machine:  # fmt: skip
        yield machine


@contextmanager
def booted_with(arch: str, cpus: int, place: str, programs: Mapping[str, str]) -> Iterator[tuple[Machine, Path]]:
    """A booted machine with static programs of assembler text, by their names, in a folder; and that folder on the host."""
    with tempfile.TemporaryDirectory(prefix="emu-port-") as folder:
        for name, source in programs.items():
            link_program(arch, source, Path(folder) / name)
        with booted(arch, cpus, shares=[f"{folder}:{place}"]) as machine:
            yield machine, Path(folder)


def run(machine: Machine, command: str | Sequence[str], status: int = 0) -> str:
    """Runs a command, and returns what it writes. It must end with this status."""
    done = machine.run(command, limit=_COMMAND, host_limit=_HOST)
    output = done.output.decode(errors="replace")
    if done.status != status:
        raise RungFailed(f"`{command}` ends with status {status}", f"status {done.status}\n{_some(output)}")
    return output


def runs(machine: Machine, command: str, expected: str, status: int = 0) -> None:
    """Runs a command whose output is known, up to spaces at its end."""
    output = run(machine, command, status)
    if output.rstrip() != expected.rstrip():
        raise RungFailed(f"`{command}` writes\n{expected.rstrip()}", _some(output))


def contains(what: str, patterns: Sequence[str], text: str) -> None:
    """Fails unless each regular expression is found in a text, one behind the other."""
    at = 0
    for pattern in patterns:
        found = re.compile(pattern, re.MULTILINE).search(text, at)
        if found is None:
            raise RungFailed(f"{what}: a line like `{pattern}`" + (" behind the others" if at else ""), _some(text[at:]))
        at = found.end()


def quiet(machine: Machine) -> None:
    """Fails if the guest's kernel or tracing has warned."""
    if machine.warnings:
        raise RungFailed("no warnings", "\n".join(machine.warnings))


def idle(machine: Machine) -> None:
    """Lets all tasks fall asleep."""
    machine.advance(_IDLE, host_limit=_HOST)


def traced(machine: Machine, command: str, status: int = 0) -> str:
    """The trace of what happens while a command runs."""
    machine.tracefs.write("trace", "")
    run(machine, command, status)
    return machine.tracefs.read("trace")


def text_bytes(machine: Machine) -> bytes:
    """The kernel's text, as it is in RAM."""
    memory, image = machine.kernel.memory, machine.kernel.image
    start, end = memory.physical(image.symbol("_text")), memory.physical(image.symbol("_etext"))
    return bytes(machine.board.ram[start:end])


def _some(text: str) -> str:
    lines = text.splitlines()
    return "\n".join([*lines[:20], *([f"... and {len(lines) - 20} more lines"] if len(lines) > 20 else [])]) or "nothing"
