# SPDX-License-Identifier: GPL-2.0-only
"""emu run: boot, set up tracing, run one command, print the trace."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from emu.cli.exit_status import GUEST_DIED, INTERRUPTED, TIMED_OUT
from emu.cli.machine_options import GuestDied, MachineOptions, RunLimits, TimedOut, guest_errors, machine_options
from emu.cli.output import open_output, write_through
from emu.cli.progress import Progress
from emu.cli.signals import Terminated, raised
from emu.ftrace.errors import TraceError

if TYPE_CHECKING:
    from emu.machine import Machine

__all__ = ["run"]

EXAMPLES = """\
\b
Examples:
  What does ls do in the kernel?
    emu run -p function_graph -- ls /bin
  Every call of some functions, and who made it:
    emu run -p function -l 'vfs_*' -l schedule -- 'ls | cat'
  Only what one system call does, three levels deep, without interrupts:
    emu run -p function_graph -g sys_read --set max_graph_depth=3 -O nofuncgraph-irqs -- cat /proc/version
  The trace in a file, of four CPUs, in another order of events:
    emu run -p function --cpus 4 --seed 7 -o trace.txt -- 'echo $$; true'

\b
The command is a line for the guest's shell. What it writes goes to standard error, the trace to standard output.
Exit status: the command's; 2: something in the options is wrong and nothing was run, or the trace could not be
written; 124: --limit or --host-limit was reached; 125: the guest's kernel panicked; 130: interrupted by Ctrl-C; 143:
terminated by a signal. In the last four cases what was traced until then is written.
"""


class Setting(NamedTuple):
    """One write to a file of tracefs, and the option of `emu run` that asks for it."""

    option: str
    path: str
    text: str


@click.command(context_settings={"allow_interspersed_args": False, "max_content_width": 120}, epilog=EXAMPLES)
@click.option("-p", "tracer", metavar="TRACER", help="Tracer: function, function_graph or nop.")
@click.option("-l", "functions", metavar="FUNC", multiple=True, help="Trace only these functions. A name or a glob.")
@click.option("-n", "notrace", metavar="FUNC", multiple=True, help="Never trace these functions.")
@click.option("-g", "graph", metavar="FUNC", multiple=True, help="function_graph: only these and what they call.")
@click.option("-O", "options", metavar="OPTION", multiple=True, help="Trace option; 'no' before its name turns it off.")
@click.option("-b", "buffer_kb", metavar="KB", help="Size of the trace buffer of each CPU.")
@click.option("--set", "files", metavar="FILE=VALUE", multiple=True, help="Write VALUE to FILE of tracefs.")
@click.option("-o", "output", metavar="FILE", type=click.Path(path_type=Path), help="Write the trace to FILE.")
@machine_options
@click.argument("command", nargs=-1, required=True, metavar="COMMAND...", type=click.UNPROCESSED)
def run(
    tracer: str | None,
    functions: Sequence[str],
    notrace: Sequence[str],
    graph: Sequence[str],
    options: Sequence[str],
    buffer_kb: str | None,
    files: Sequence[str],
    output: Path | None,
    command: Sequence[str],
    **machine_arguments: Any,
) -> int:
    """Run COMMAND in the guest's shell and print a trace of what the kernel did."""
    settings = [Setting("-b", "buffer_size_kb", buffer_kb)] if buffer_kb is not None else []
    for option, path, words in (
        ("-l", "set_ftrace_filter", functions),
        ("-n", "set_ftrace_notrace", notrace),
        ("-g", "set_graph_function", graph),
    ):
        if words:
            settings.append(Setting(option, path, " ".join(words)))
    if tracer is not None:
        settings.append(Setting("-p", "current_tracer", tracer))
    settings += [Setting("-O", "trace_options", option) for option in options]
    settings += map(_file_setting, files)
    progress = Progress()
    console = _CommandOutput(progress)
    limits = RunLimits.taken_from(machine_arguments)
    died: GuestDied | TimedOut | None = None
    with raised(), open_output(output) as out:
        with progress.during("booting (the first time, compiling takes a while)"):
            machine = MachineOptions(**machine_arguments).boot(console, limits)
        with machine:
            with progress.during("setting up tracing"), guest_errors():
                _apply(machine, settings)
            console.shown = True
            with progress.during("running"):
                try:
                    status = _run(machine, " ".join(command), limits)
                except GuestDied as error:
                    status, died = GUEST_DIED, error
                except TimedOut as error:
                    status, died = TIMED_OUT, error
            with progress.during("writing the trace"):
                out.write(machine.tracefs.read_pieces("trace"))
    if died is not None:
        raise died
    return status


def _file_setting(text: str) -> Setting:
    path, equals, value = text.partition("=")
    if not equals:
        raise click.UsageError(f"--set {text}: FILE=VALUE is needed")
    return Setting(f"--set {path}", path, value)


def _apply(machine: Machine, settings: Iterable[Setting]) -> None:
    """Writes the settings to tracefs, with tracing_on 0: nothing is recorded before the command starts."""
    machine.tracefs.write("tracing_on", "0")
    for setting in settings:
        try:
            machine.tracefs.write(setting.path, setting.text)
        except TraceError as error:
            raise click.ClickException(f"{setting.option}: {error.why or error.strerror}") from None


def _run(machine: Machine, command: str, limits: RunLimits) -> int:
    """Runs the command and returns its exit status.

    Raises:
        GuestDied: the kernel panicked.
        TimedOut: a limit was reached.
        click.ClickException: the line is too long, or has a NUL byte.
    """
    from emu.machine import BadCommand, PoweredOff

    with guest_errors():
        try:
            return machine.run(command, trace=True, **limits._asdict()).status
        except KeyboardInterrupt:
            return INTERRUPTED
        except (PoweredOff, Terminated) as end:
            return end.status
        except BadCommand as error:
            raise click.ClickException(str(error)) from None


class _CommandOutput:
    """Copies the guest's console to standard error, but not what the guest wrote while it booted."""

    def __init__(self, progress: Progress) -> None:
        self.shown = False
        self._progress = progress

    def __call__(self, data: bytes) -> None:
        if self.shown:
            self._progress.hide()
            with suppress(BrokenPipeError):  # the trace may still be wanted
                write_through(sys.stderr, data)
