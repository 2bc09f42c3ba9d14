# SPDX-License-Identifier: GPL-2.0-only
"""The cost of tracing for each function, if it is not constant per call: runs the command again, traced and not traced."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress

import click

from emu.cli.command import CommandOutput, run_command
from emu.cli.guest_errors import GuestDied, TimedOut, guest_errors
from emu.cli.machine_options import RunLimits, boot, config_of
from emu.cli.progress import Progress
from emu.cli.record import record
from emu.cli.trace_options import recording_of, trace_options_of

__all__ = ["traced_twice"]


def traced_twice(words: Sequence[str]) -> Mapping[str, int]:
    """For each function, the additional nanoseconds of CPU time when the run is traced. They may be negative.

    It is an estimate: traced code takes longer, so interrupts come at other places, and tasks run in another order.

    Args:
        words: the run's `emu record` command line.

    Raises:
        click.ClickException: the machine cannot be recreated, or its timing model does not count functions.
    """
    with record.make_context("emu record", list(words)) as context:
        arrays = trace_options_of(context)
        arguments = {name: value for name, value in context.params.items() if name not in ("output", "compress", "v6")}
        follow, command = arguments.pop("follow"), arguments.pop("command")
        limits = RunLimits.taken_from(arguments)
        config = config_of(arguments)
        settings = [array.settings() for array in arrays]
    progress, taken = Progress(), []
    for traced in (False, True):
        console = CommandOutput(progress, sys.stderr)  # its output is not shown
        with boot(config, console, limits, progress) as machine:
            if machine.board.timing is None:
                raise click.ClickException("the timing model static does not count by function")
            if traced:
                with guest_errors():
                    for array, one in zip(arrays, settings, strict=True):
                        array.set_up(machine, one)
            kind = "traced" if traced else "not traced"
            running = progress.during(f"running again, {kind}")
            # The run ends as it did when it was recorded.
            with machine.counting(functions=True) as counting, running, suppress(GuestDied, TimedOut):
                run_command(machine, command, limits, trace=recording_of(arrays) if traced else (), follow=traced and follow)
            taken.append({name: machine.board.nanoseconds(counts["cycles"]) for name, counts in counting.functions.items()})
    untraced, with_tracing = taken
    return {name: with_tracing.get(name, 0) - untraced.get(name, 0) for name in {**untraced, **with_tracing}}
