# SPDX-License-Identifier: GPL-2.0-only
"""emu record: boots, sets up tracing, runs one command, and writes a trace.dat while it runs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from emu.cli.command import CommandOutput, Stopwatch, run_command
from emu.cli.guest_errors import GuestDied, TimedOut, guest_errors
from emu.cli.linux.options import LinuxOptions, linux_options
from emu.cli.machine_options import RunLimits, machine_options
from emu.cli.output import new_file
from emu.cli.progress import Progress
from emu.cli.quantities import time_text
from emu.cli.signals import Terminated, raised
from emu.cli.trace_options import (
    ArrayOptions,
    TracingCommand,
    instance_option,
    recording_of,
    trace_options,
    trace_options_of,
    words_of,
)
from emu.cli.traced_machine import OF_LINUX, traced_machine

if TYPE_CHECKING:
    from emu.cli.traced_machine import AnyMachine
    from emu.trace.disk_recording import DiskRecording

__all__ = ["LATENCY_TRACERS", "MEASURING", "record", "record_to", "without_options"]

EXAMPLES = """\
\b
Examples:
  What ls does in the kernel, for trace-cmd and KernelShark:
    emu record -p function_graph -- ls /bin
    trace-cmd report trace.dat; kernelshark trace.dat
  Each switch from a task to another, and in an instance each system call, compressed:
    emu record -e sched:sched_switch -B calls -e raw_syscalls --compress -o ls.dat -- 'ls | cat'
  The same file again, and the comparison with the first:
    emu reproduce ls.dat

\b
The options are those of `emu run`. The pages of the buffers are written while the machine runs: nothing is lost, however
small -b makes them. Exit status: as that of `emu run`.
"""

LATENCY_TRACERS = ("irqsoff", "preemptoff", "preemptirqsoff", "wakeup", "wakeup_rt", "wakeup_dl")
MEASURING = (*LATENCY_TRACERS, "hwlat", "osnoise", "timerlat")
"""Tracers that use tracing_max_latency."""


@click.command(cls=TracingCommand, context_settings={"allow_interspersed_args": False, "max_content_width": 120}, epilog=EXAMPLES)
@trace_options
@instance_option
@click.option(
    "-o", "output", metavar="FILE", type=click.Path(path_type=Path), default="trace.dat", show_default=True,
    help="Write the recording to FILE.",
)  # fmt: skip
@click.option("--compress", is_flag=True, help="Compress it with zstd.")
@click.option("--v6", is_flag=True, help="Write version 6 of the format, for older tools; not compressed.")
@linux_options
@machine_options
@click.argument("command", nargs=-1, required=True, metavar="COMMAND...", type=click.UNPROCESSED)
def record(
    follow: bool, output: Path, compress: bool, v6: bool, command: Sequence[str], **machine_arguments: object
) -> int:
    """Run COMMAND in the guest and record a trace.dat of what the kernel did."""
    if v6 and compress:
        raise click.UsageError("--v6 --compress: version 6 of trace.dat has no compression")
    context = click.get_current_context()
    on_linux = LinuxOptions.taken_from(machine_arguments, context, (*OF_LINUX, "-B", "-o", "--compress", "--v6"))
    arrays = trace_options_of(context)
    version: Literal[6, 7] = 6 if v6 else 7
    return record_to(
        output, arrays, command, machine_arguments, on_linux, follow=follow, compress=compress, version=version
    )


def record_to(
    path: Path,
    arrays: Sequence[ArrayOptions],
    command: Sequence[str],
    machine_arguments: dict[str, object],
    on_linux: LinuxOptions | None = None,
    *,
    follow: bool,
    compress: bool = False,
    version: Literal[6, 7] = 7,
    words: Sequence[str] | None = None,
    quiet: bool = False,
) -> int:
    """Runs a command and records it to a file. Returns the command's exit status.

    Args:
        path: the path of the trace.dat.
        arrays: what to record.
        machine_arguments: the arguments from `machine_options`.
        on_linux: what the command line says of a Linux guest; None: it is emu's own kernel.
        follow, compress, version: the options of the same names.
        words: the command line that reproduces the file, without the file's name; None: the present command line.
        quiet: do not show the command's output.

    Raises:
        click.ClickException: an option is wrong, or the file cannot be written.
        GuestDied, TimedOut, Terminated: the command did not end; the events recorded before that are written.
    """
    settings = [array.settings() for array in arrays]
    for array in arrays:
        if (tracer := array.one("-p")) in LATENCY_TRACERS:
            raise click.UsageError(f"-p {tracer} keeps the trace of the longest time only: `emu run -p {tracer}` shows it")
    if words is None:
        words = without_options(words_of(click.get_current_context()), ("-o",))
    progress = Progress()
    console = CommandOutput(progress, sys.stderr)
    limits = RunLimits.taken_from(machine_arguments) if on_linux is None else on_linux.limits
    status, cut_short = 0, None
    opened = ExitStack()
    recordings: list[DiskRecording] = []

    def set_up(machine: AnyMachine) -> None:
        from emu.trace.disk_recording import DiskRecording

        with progress.during("setting up tracing"), guest_errors():
            for array, one in zip(arrays, settings, strict=True):
                array.set_up(machine, one)
        recordings.append(opened.enter_context(DiskRecording(machine, path.absolute().parent)))
        recordings[0].begin()

    with raised(), new_file(path) as file, opened, traced_machine(
        machine_arguments, on_linux, console, limits, progress, set_up, recording_of(arrays)
    ) as machine:
        (recording,) = recordings
        console.shown = not quiet
        time = Stopwatch(machine)
        with progress.during(lambda: f"recording, {time_text(time.passed)} of virtual time"):
            try:
                status = run_command(machine, command, limits, trace=recording_of(arrays), follow=follow)
            except (GuestDied, TimedOut, Terminated) as error:  # the trace may still be useful
                cut_short = error
            finally:
                recording.end()
        console.end_line()
        with progress.during("writing the recording"):
            recording.write(file, version=version, compress=compress, origin=machine.origin(words).encode())
    if cut_short is not None:
        raise cut_short
    return status


def without_options(words: Sequence[str], options: Sequence[str]) -> list[str]:
    """A command line without some options that have values. Words after the options are the guest's command."""
    kept: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--":
            return [*kept, word, *rest]
        if word in options:
            next(rest, None)
        elif not any(_has_value(word, option) for option in options):
            kept.append(word)
    return kept


def _has_value(word: str, option: str) -> bool:
    """Whether a word is the option together with its value: `-oFILE`, `--seed=5`."""
    if option.startswith("--"):
        return word.startswith(f"{option}=")
    return word.startswith(option) and not word.startswith("--")
