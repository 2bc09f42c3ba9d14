# SPDX-License-Identifier: GPL-2.0-only
"""emu run: boots, sets up tracing, runs one command, prints the trace."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from emu.cli.command import CommandOutput, Stopwatch, run_command
from emu.cli.guest_errors import GuestDied, TimedOut, guest_errors
from emu.cli.linux.options import LinuxOptions, linux_options
from emu.cli.linux.running import run_on_linux
from emu.cli.machine_options import RunLimits, machine_options
from emu.cli.output import Output, open_shown
from emu.cli.progress import Progress
from emu.cli.quantities import time_text
from emu.cli.record import MEASURING, record_to
from emu.cli.repeat import repeat_to
from emu.cli.settings import Setting
from emu.cli.signals import Terminated, raised
from emu.cli.summary import suggestion, summary_line
from emu.cli.trace_options import TracingCommand, recording_of, trace_options, trace_options_of, words_of
from emu.cli.traced_machine import OF_LINUX, traced_machine

if TYPE_CHECKING:
    from emu.cli.traced_machine import AnyMachine

__all__ = ["run"]

EXAMPLES = """\
\b
Examples:
  What does ls do in the kernel?
    emu run -p function_graph -- ls /bin
  Every call of some functions, and who made it:
    emu run -p function -l 'vfs_*' -l schedule -- 'ls | cat'
  Each switch from a task to another, among the calls that lead to it:
    emu run -e sched:sched_switch -p function_graph -g schedule -- 'ls | cat'
  Each switch from an idle task, until the first to a real-time task:
    emu run -e sched:sched_switch -f 'prev_pid == 0' -R 'traceoff if next_prio < 100' -- 'ls; chrt -f 10 usleep 9; ls'
  An event of your own, when a function of the kernel is called:
    emu run --set 'kprobe_events=p:reads vfs_read count=$arg3' -e kprobes:reads -f 'count > 100' -- cat /proc/version
  Only the command and its children, from its first instruction:
    emu run -F -p function_graph -- ls /bin
  Only what one system call does, three levels deep, without interrupts:
    emu run -p function_graph -g sys_read --set max_graph_depth=3 -O nofuncgraph-irqs -- cat /proc/version
  How long interrupts were off at most, and where:
    emu run -p irqsoff --max-latency -- 'ls | cat'
  How often functions were called on each CPU, and how long they took; and the deepest stack:
    emu run --profile --stack -l 'vfs_*' -- ls /bin
  How many bytes are read at once, as a histogram, without recording any event:
    emu run --set 'events/syscalls/sys_enter_read/trigger=hist:keys=count.log2' \\
      --show events/syscalls/sys_enter_read/hist -- cat /proc/version
  The trace in a file, of four CPUs, in another order of events:
    emu run -p function --cpus 4 --seed 7 -o trace.txt -- 'echo $$; true'
  The same tools as on an embedded Linux: busybox's, of the host:
    emu run --userland busybox -p function_graph -- 'ls /bin | sed s/[aeiou]/z/g'

\b
One word is a line for the guest's shell; several are a program and its arguments, which are passed on as they are.
The command's standard input is empty. What it writes goes to standard error, the trace to standard output: on a
terminal through the pager, $PAGER or less -R. If standard error is a terminal, a last line there counts events, CPUs,
processes and lost events, and names the timing model.
Exit status: the command's; 2: something in the options is wrong and nothing was run, or the trace could not be
written; 124: --limit or --host-limit was reached; 125: the guest's kernel panicked; 130: interrupted by Ctrl-C; 143:
terminated by a signal. In the last four cases what was traced until then is written.
"""


@click.command(cls=TracingCommand, context_settings={"allow_interspersed_args": False, "max_content_width": 120}, epilog=EXAMPLES)
@trace_options
@click.option("--stack", is_flag=True, help="Run the stack tracer meanwhile; stack_trace follows the trace.")
@click.option("--profile", is_flag=True, help="Run the function profiler meanwhile; trace_stat/function* follow the trace.")
@click.option(
    "--max-latency", is_flag=True,
    help="tracing_max_latency, in microseconds, follows the trace. With a tracer that measures: -p irqsoff, wakeup, ...",
)  # fmt: skip
@click.option(
    "--show", multiple=True, metavar="FILE",
    help="FILE of tracefs follows the trace: 'events/sched/sched_switch/hist'. Repeatable.",
)  # fmt: skip
@click.option(
    "-o", "output", metavar="FILE", type=click.Path(path_type=Path),
    help="Write the trace to FILE; if its name ends in .dat, as `emu record` does.",
)  # fmt: skip
@click.option(
    "--repeat", type=click.IntRange(1), metavar="N",
    help="Run COMMAND N times, with one seed after the other, and record each run in a file of the folder that -o names.",
)  # fmt: skip
@linux_options
@machine_options
@click.argument("command", nargs=-1, required=True, metavar="COMMAND...", type=click.UNPROCESSED)
def run(
    follow: bool,
    stack: bool,
    profile: bool,
    max_latency: bool,
    show: Sequence[str],
    output: Path | None,
    repeat: int | None,
    command: Sequence[str],
    **machine_arguments: Any,
) -> int:
    """Run COMMAND in the guest and print a trace of what the kernel did."""
    context = click.get_current_context()
    of_linux = (*OF_LINUX, "--stack", "--profile", "--max-latency", "--show", "-o")
    on_linux = LinuxOptions.taken_from(machine_arguments, context, of_linux)
    (asked,) = trace_options_of(context)
    settings = asked.settings()
    wanted = {"stack_trace": stack, "trace_stat": profile, "tracing_max_latency": max_latency}
    reports = [*(path for path in wanted if wanted[path]), *show]
    if on_linux is not None and not (settings or follow or reports or output or on_linux.from_reset):
        return run_on_linux(on_linux, command)
    if max_latency and asked.one("-p") not in MEASURING:
        raise click.UsageError(f"--max-latency needs a tracer that measures one: -p {', '.join(MEASURING)}")
    if repeat is not None and output is None:
        raise click.UsageError("--repeat needs -o FOLDER, for the recordings")
    if output is not None and (repeat is not None or output.suffix == ".dat"):
        if reports:
            raise click.UsageError("a trace.dat has no place for --stack, --profile, --max-latency and --show")
        if repeat is not None:
            return repeat_to(output, repeat, [asked], command, machine_arguments, follow=follow)
        return record_to(output, [asked], command, machine_arguments, on_linux, follow=follow)
    if profile:
        settings.append(Setting("--profile", "function_profile_enabled", "1"))
    progress = Progress()
    console = CommandOutput(progress, sys.stderr)
    limits = RunLimits.taken_from(machine_arguments) if on_linux is None else on_linux.limits
    status, cut_short = 0, None

    def set_up(machine: AnyMachine) -> None:
        with progress.during("setting up tracing"), guest_errors():
            asked.set_up(machine, settings)
            for path in show:
                next(machine.tracefs.read_pieces(path), b"")  # it is there, and can be read
            if stack:
                machine.stack_tracer_enabled = True

    with raised(), open_shown(output) as out, traced_machine(
        machine_arguments, on_linux, console, limits, progress, set_up, recording_of([asked])
    ) as machine:
        console.shown = True
        time = Stopwatch(machine)
        with progress.during(lambda: f"running, {time_text(time.passed)} of virtual time"):
            try:
                status = run_command(machine, command, limits, trace=recording_of([asked]), follow=follow)
            except (GuestDied, TimedOut, Terminated) as error:  # the trace may still be useful
                cut_short = error
        if sys.stderr.isatty():
            console.end_line()
        asked_for = output is not None or any(setting.path in ("current_tracer", "set_event") for setting in settings)
        traced = asked_for or not _nothing_was_traced(machine)
        if not (traced or reports) and cut_short is None:
            console.end_line()
            click.echo(f"emu: {suggestion(machine, words_of(context))}", err=True)
        else:
            out.write(lambda: _results(machine, progress, out, reports, trace=traced or not reports))
            if sys.stderr.isatty():
                summary = summary_line(machine.trace_array.summary(), time.passed, machine.board.timing_model)
                click.echo(f"emu: {summary}", err=True)
    if cut_short is not None:
        raise cut_short
    return status


def _results(machine: AnyMachine, progress: Progress, out: Output, reports: Sequence[str], *, trace: bool) -> Iterator[bytes]:
    """The pieces of the trace, if requested, and then of other tracefs files, each preceded by a line with its name."""
    if trace:
        yield from _trace(machine, progress, out)
    for path in _files(machine, reports):
        yield b"\n" * trace + f"==> {path} <==\n".encode()
        trace = True  # something has been printed already
        yield from machine.tracefs.read_pieces(path)


def _files(machine: AnyMachine, reports: Sequence[str]) -> Iterator[str]:
    """The names of the files; for trace_stat, those of the function profiler."""
    for path in reports:
        if path == "trace_stat":
            yield from (f"{path}/function{cpu}" for cpu in range(len(machine.cpus)))
        else:
            yield path


def _trace(machine: AnyMachine, progress: Progress, out: Output) -> Iterator[bytes]:
    """The pieces of the trace. Progress is not shown where the trace itself may appear."""
    pieces = machine.tracefs.read_pieces("trace")
    with progress.during("reading the trace"):
        first = next(pieces, b"")
    with progress.during("writing the trace") if out.in_file else nullcontext():
        yield first
        yield from pieces


def _nothing_was_traced(machine: AnyMachine) -> bool:
    return machine.tracefs.read("current_tracer") == "nop\n" and not machine.trace_array.summary().events
