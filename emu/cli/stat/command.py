# SPDX-License-Identifier: GPL-2.0-only
"""emu stat: boots, runs one command, and prints the CPUs' counts, like perf stat."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

import click

from emu.architectures import ARCHITECTURES
from emu.cli.command import CommandOutput, Stopwatch, run_command
from emu.cli.guest_errors import GuestDied, TimedOut, guest_errors
from emu.cli.linux.options import LinuxCommand, LinuxOptions, linux_options
from emu.cli.linux.running import boot_linux
from emu.cli.machine_options import RunLimits, boot, config_of, machine_options, with_counting_model
from emu.cli.output import open_output
from emu.cli.progress import Progress
from emu.cli.quantities import time_text
from emu.cli.settings import Setting, apply, file_setting
from emu.cli.signals import Terminated, raised
from emu.cli.standard_streams import write_through
from emu.cli.stat import events as choices
from emu.cli.stat import function_table, json_lines, text
from emu.cli.stat.results import DURATION, Results, Run
from emu.cli.table import width_of
from emu.machine_config import MachineConfig

if TYPE_CHECKING:
    from emu.cli.traced_machine import AnyMachine

__all__ = ["stat"]

_OF_LINUX = ("-e", "-a", "-A", "-r", "--by", "--sort", "-n", "-j", "--set", "-o")

EXAMPLES = """\
\b
Examples:
  How many cycles does ls take, and what for?
    emu stat -- ls /bin
  Which functions miss the caches, of the kernel and of all programs?
    emu stat --by function --sort L1-dcache-load-misses -- 'ls /bin | wc -l'
  What each CPU does; how much it varies with the order of events, seeds 0 to 4:
    emu stat -A -e cycles,coherence-transfers -- busy 2 4
    emu stat -r 5 -- 'ls | cat'
  What tracing costs:
    emu stat --set current_tracer=function_graph -e instructions,return-misses -- ls /bin
  Instructions of each function of an unmodified Linux, and of each program:
    emu stat --linux --by function -- 'ls /bin | wc -l'

\b
What is counted is what all CPUs do, in the kernel and in programs, from the command's start to its end: -a is the
default. `cycles` are those for which a CPU was not halted. A mispredicted branch's and a late access's time is of the
block that waits for it. Which events there are depends on the timing model: `static` counts cycles and instructions
alone, `pipeline` all but those of data. The others are <not supported>.

\b
What the command writes goes to standard output, the counts to standard error. --json writes a line for each event:
the objects have the members of perf stat -j (counter-value, unit, event, variance with -r, event-runtime, pcnt-running,
metric-value, metric-unit), before them cpu with -A, and function with --by function, which gives all rows.
Exit status: as `emu run` has it; with -r, that of the last run.
"""


@click.command(cls=LinuxCommand, context_settings={"allow_interspersed_args": False, "max_content_width": 120}, epilog=EXAMPLES)
@click.option("-e", "--event", "events", metavar="EVENT,...", multiple=True, help="Show these events. Repeatable.")
@click.option("-a", "--all-cpus", is_flag=True, expose_value=False, help="Count on all CPUs, as always.")
@click.option("-A", "--per-cpu", "--no-aggr", "per_cpu", is_flag=True, help="Show what each CPU has counted.")
@click.option(
    "-r", "--repeat", type=click.IntRange(1), default=1, metavar="N",
    help="Run the command N times, each on a new machine with the next seed: means, and their deviation.",
)  # fmt: skip
@click.option("--by", type=click.Choice(["function"]), help="Show a table of the kernel's functions, and of programs ([user]).")
@click.option("--sort", metavar="EVENT", help="--by function: what orders the rows. Default: the first event.")
@click.option(
    "-n", "--rows", type=click.IntRange(1), default=20, show_default=True, metavar="N", help="--by function: how many rows."
)
@click.option("-j", "--json", "as_json", is_flag=True, help="Write a JSON object in each line.")
@click.option("--set", "files", metavar="FILE=VALUE", multiple=True, help="Write VALUE to FILE of tracefs before the command.")
@click.option("-o", "--output", metavar="FILE", type=click.Path(path_type=Path), help="Write the counts to FILE.")
@linux_options
@machine_options
@click.argument("command", nargs=-1, required=True, metavar="COMMAND...", type=click.UNPROCESSED)
def stat(
    events: Sequence[str],
    per_cpu: bool,
    repeat: int,
    by: str | None,
    sort: str | None,
    rows: int,
    as_json: bool,
    files: Sequence[str],
    output: Path | None,
    command: Sequence[str],
    **machine_arguments: object,
) -> int:
    """Run COMMAND in the guest and print what the CPUs count meanwhile."""
    if by is not None and per_cpu:
        raise click.UsageError("--by function and --per-cpu: only one of them can be shown")
    if by is None and sort is not None:
        raise click.UsageError("--sort orders the rows of --by function")
    settings = [file_setting(one) for one in files]
    chosen = choices.chosen(events, "-e")
    first = choices.chosen([sort], "--sort") if sort is not None else []
    if by is not None and DURATION in (*chosen, *first):
        raise click.UsageError(f"{DURATION} is not counted by function")
    on_linux = LinuxOptions.taken_from(machine_arguments, click.get_current_context(), _OF_LINUX)
    limits = RunLimits.taken_from(machine_arguments) if on_linux is None else on_linux.limits
    config = None if on_linux is not None else with_counting_model(config_of(machine_arguments))
    if by is not None and config is not None and config.timing == "static":
        raise click.UsageError(
            f"--by function: the timing model static does not count by function; pipeline and caches do ({_with_cpu_models()})"
        )

    width = width_of(sys.stderr if output is None else None)

    def shown(results: Results) -> Iterator[str]:
        counted = results.runs[0].cpus[0]
        if by is not None:
            columns = [event for event in chosen or choices.BY_FUNCTION if chosen or event in counted]
            columns = list(dict.fromkeys([*first, *columns]))
            missing = ", ".join(event for event in columns if event not in counted)
            if missing:
                raise click.ClickException(f"the timing model {results.model.timing} does not count {missing}")
            if as_json:
                return json_lines.function_lines(results, columns)
            return _between(results, command, function_table.table(results, columns, rows, width), width, " by function")
        names = chosen or [event for event in choices.SHOWN if on_linux is None or event in counted]
        if as_json:
            return json_lines.lines(results, names, per_cpu)
        return _between(results, command, text.rows(results, names, per_cpu, width), width, has_models=on_linux is None)

    with raised(), nullcontext() if output is None else open_output(output) as out:
        runner = _Runner(command, limits, settings, functions=by is not None)
        cut_short = None
        try:
            for number in range(repeat):
                runner.run(_with_seed(config, on_linux, number))
        except (GuestDied, TimedOut, Terminated) as error:  # the counts so far may still be useful
            cut_short = error
        if runner.runs:
            lines = "".join(shown(runner.results)).encode()
            if out is not None:
                out.write(lambda: [lines])
            else:
                with suppress(BrokenPipeError):
                    write_through(sys.stderr, lines)
    if cut_short is not None:
        raise cut_short
    return runner.status


def _with_seed(config: MachineConfig | None, on_linux: LinuxOptions | None, number: int) -> MachineConfig | LinuxOptions:
    """What describes the machine of a run: each has the next seed."""
    if config is not None:
        return replace(config, seed=config.seed + number)
    assert on_linux is not None
    return on_linux.with_seed(number)


def _with_cpu_models() -> str:
    """The architectures that have CPU models, which timing models with state need."""
    from emu.cpu import arch

    return ", ".join(name for name in ARCHITECTURES if arch.load(name).cpu_models)


def _between(
    results: Results, command: Sequence[str], lines: Iterable[str], width: int, by: str = "", *, has_models: bool = True
) -> Iterator[str]:
    """The lines with a header and a footer, and notes on events that were not counted.

    has_models: the guest can be timed by other models.
    """
    missing = False
    yield text.header(command, len(results.runs), by)
    for line in lines:
        missing |= text.NOT_SUPPORTED in line
        yield line
    yield text.footer(results)
    if missing:
        from emu.cpu.timing.events import counted

        names = counted(results.model.timing)
        what = f"{' and '.join(names)} alone" if len(names) < 3 else "no events of data"
        others = f"; --timing caches counts all events ({_with_cpu_models()})" * has_models
        said = f"The timing model {results.model.timing} counts {what}{others}."
        yield fill(said, width, break_on_hyphens=False) + "\n"


class _Runner:
    """Runs the command on one machine after another.

    Attributes:
        runs: the runs that have started.
        status: the last run's exit status.
    """

    def __init__(self, command: Sequence[str], limits: RunLimits, settings: Sequence[Setting], *, functions: bool) -> None:
        self.runs: list[Run] = []
        self.status = 0
        self.results: Results
        self._command = command
        self._limits = limits
        self._settings = settings
        self._functions = functions
        self._progress = Progress()

    def run(self, machine_of: MachineConfig | LinuxOptions) -> None:
        """Boots a machine and runs the command.

        Raises: as `run_command`, and `boot` or `boot_linux`.
        """
        console = CommandOutput(self._progress, sys.stdout)
        with self._boot(machine_of, console) as machine:
            with self._progress.during("setting up tracing"), guest_errors():
                apply(machine.tracefs.write, self._settings)
            console.shown = True
            try:
                self._count(machine)
            finally:
                if sys.stdout.isatty():
                    console.end_line()

    def _boot(self, machine_of: MachineConfig | LinuxOptions, console: CommandOutput) -> AnyMachine:
        if isinstance(machine_of, MachineConfig):
            return boot(machine_of, console, self._limits, self._progress)
        return boot_linux(machine_of, self._progress, console, console)

    def _count(self, machine: AnyMachine) -> None:
        time = Stopwatch(machine)
        counting = machine.counting(functions=self._functions)
        try:
            with counting, self._progress.during(lambda: f"running, {time_text(time.passed)} of virtual time"):
                self.status = run_command(machine, self._command, self._limits)
        finally:
            self.runs.append(Run.of(counting, len(machine.cpus), self._functions))
            self.results = Results(machine.board.timing_model, self.runs)
