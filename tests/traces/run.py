# SPDX-License-Identifier: GPL-2.0-only
"""Runs a command of this folder observed by the witness, and decodes its trace for comparison."""

from __future__ import annotations

import shlex
from collections import defaultdict
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any
from unittest.mock import patch

from click.testing import CliRunner

from emu.cli.main import cli
from emu.ftrace.arrays.trace_array import TraceArray
from emu.machine import Completed, Machine
from tests.lib.trace_lines import TraceLine, trace_lines
from tests.lib.witness import Witness

__all__ = ["Calls", "Run", "in_a_row", "run", "shown"]

Calls = dict[int, list[str]]  # the functions that were called on each CPU, in order


@dataclass(frozen=True)
class Run:
    """A command that has ended.

    Args:
        text: what it wrote to standard output and standard error.
        calls: every traceable function that was called while it was traced.
    """

    text: str
    calls: Calls

    def seen(self, *functions: str, but: str = "") -> Calls:
        """The part of `calls` with names that match one of the globs, but not `but`."""
        found = {
            cpu: [name for name in names if any(fnmatchcase(name, glob) for glob in functions) and not fnmatchcase(name, but)]
            for cpu, names in self.calls.items()
        }
        return {cpu: names for cpu, names in found.items() if names}


def run(command: str) -> Run:
    """Runs `emu run ...` in this process. The witness observes only the guest's command, while it is traced."""
    calls: Calls = {}
    run_in_guest, set_recording = Machine.run, TraceArray.set_recording

    def watched(machine: Machine, *arguments: Any, **options: Any) -> Completed:
        witness = Witness(machine)

        def switched(array: TraceArray, on: bool) -> None:
            set_recording(array, on)
            if array is machine.trace_array:
                witness.on = on

        with patch.object(TraceArray, "set_recording", switched):
            done = run_in_guest(machine, *arguments, **options)
        for cpu in range(len(machine.board.cpus)):
            functions = [machine.kernel.symbols.function_at(entry.address) for entry in witness.entries(cpu)]
            calls[cpu] = [function[0].name for function in functions if function is not None]
        return done

    _, *arguments = shlex.split(command)
    with patch.object(Machine, "run", watched):
        done = CliRunner(catch_exceptions=False).invoke(cli, arguments)
    assert done.exit_code == 0, done.output
    return Run(done.output, calls)


def shown(text: str) -> Calls:
    """The calls in a text of function_graph or function."""
    calls: Calls = defaultdict(list)
    for line in trace_lines(text):
        if isinstance(line, TraceLine) and line.function:
            calls[line.cpu].append(line.function)
    return dict(calls)


def in_a_row(part: Calls, whole: Calls) -> bool:
    """Whether `whole` has all calls of `part`, on the same CPUs, in the same order and with no other call between them."""
    return bool(part) and all(
        any(whole.get(cpu, [])[start : start + len(names)] == names for start in range(len(whole.get(cpu, []))))
        for cpu, names in part.items()
    )
