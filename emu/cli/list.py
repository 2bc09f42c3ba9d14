# SPDX-License-Identifier: GPL-2.0-only
"""emu list: lists what can be traced, and how, without running the guest."""

from __future__ import annotations

import fnmatch
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from emu.cli.arch_option import arch_option
from emu.cli.linux.options import LinuxCommand, LinuxOptions, linux_option
from emu.cli.machine_options import RunLimits
from emu.cli.progress import Progress
from emu.cli.standard_streams import write_through
from emu.ftrace.errors import did_you_mean

if TYPE_CHECKING:
    from emu.machine import Machine

__all__ = ["list_names"]

EXAMPLES = """\
\b
Examples:
  emu list events 'sched:*'
  emu list functions '*_read'
  emu list options
  emu list cpu-models
  emu list --linux functions 'ext4_*'

\b
The names are those that `emu run` takes: events for -e, functions for -l, -n and -g, tracers for -p, options for -O,
clocks for --set trace_clock=CLOCK, CPU models for --cpu-model, counters for -e of `emu stat`. Of a CPU model that was
measured, docs/timing.md says how far from the CPU it is. An option that is off when the machine starts has 'no' before
its name; GLOB is compared with the name alone. GLOB for events is compared with SYSTEM:EVENT, SYSTEM and EVENT.

\b
Only the kernel's functions and events are listed: those of a module can be traced once the module is loaded.

\b
Exit status: 0; 2: an option is wrong, or no name matches GLOB.
"""


def _events(machine: Machine) -> list[str]:
    from emu.ftrace.event.enable import available

    return [call.path for call in available(machine.trace_array.recorder.globals.events.values())]


def _options(machine: Machine) -> list[str]:
    return machine.trace_array.options.lines(machine.trace_array.options)


def _cpu_models(machine: Machine) -> list[str]:
    arch = machine.board.arch
    return [f"{name}  {'' if arch.core(name).measured else 'not '}measured" for name in arch.cpu_models]


def _counters(machine: Machine) -> Sequence[str]:
    from emu.cpu.timing.events import EVENTS

    return EVENTS


_KINDS: Mapping[str, Callable[..., Sequence[str]]] = {
    "events": _events,
    "functions": lambda machine: machine.trace_array.ftrace.functions.labels(),
    "tracers": lambda machine: list(machine.trace_array.tracers),
    "options": _options,
    "clocks": lambda machine: machine.trace_array.recorder.globals.clocks.names,
    "cpu-models": _cpu_models,
    "counters": _counters,
}


_OF_LINUX = ("events", "functions", "tracers", "options", "clocks")


@click.command("list", cls=LinuxCommand, context_settings={"max_content_width": 120}, epilog=EXAMPLES)
@arch_option("Architecture of the machine.")
@click.option(
    "--image",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Kernel image to look into instead of the one that comes with emu.",
)
@linux_option
@click.argument("kind", type=click.Choice(list(_KINDS)))
@click.argument("glob", required=False, metavar="[GLOB]")
def list_names(arch: str, image: Path | None, linux: str | None, kind: str, glob: str | None) -> int:
    """List the events, functions, tracers, options, clocks, CPU models or counters whose names match GLOB; without it, all."""
    progress = Progress()
    if linux is not None:
        if image is not None:
            raise click.UsageError("--image does not go together with --linux")
        names = _names_of_linux(linux, kind, progress)
    else:
        with progress.during("loading the kernel"):
            names = _names(arch, image, kind)
    if glob is not None:
        matching = [name for name in names if any(fnmatch.fnmatchcase(part, glob) for part in _compared(kind, name))]
        if not matching:
            bare = [part for name in names for part in _compared(kind, name)]
            raise click.ClickException(f"no {kind.removesuffix('s')} matches '{glob}'{did_you_mean(glob, bare)}")
        names = matching
    write_through(sys.stdout, "".join(f"{name}\n" for name in names).encode())
    return 0


def _compared(kind: str, name: str) -> list[str]:
    """The text with which GLOB is compared."""
    if kind == "events":
        return [name, *name.split(":")]
    if kind == "cpu-models":
        return name.split()[:1]
    return [name.removeprefix("no")] if kind == "options" else [name]


def _names_of_linux(kernel: str, kind: str, progress: Progress) -> Sequence[str]:
    """Those of a booted Linux, which may be kept on disk.

    Raises:
        click.ClickException: there is none of this kind; and as boot_linux.
    """
    from emu.cli.linux.running import boot_linux

    if kind not in _OF_LINUX:
        raise click.ClickException(f"a Linux guest has no {kind} that can be traced from outside")
    options = LinuxOptions({"kernel": kernel or None}, RunLimits(None, None))
    with boot_linux(options, progress, lambda data: None, lambda data: None) as machine:
        return _KINDS[kind](machine)


def _names(arch: str, image: Path | None, kind: str) -> Sequence[str]:
    """Raises click.ClickException: the architecture does not exist, or the image cannot be read."""
    from emu.machine import Machine

    class LoadedMachine(Machine):
        """A machine before its first instruction."""

        def _boot(self, time: int, booting: Callable[[int], None]) -> None:
            pass

    try:
        with LoadedMachine(arch=arch, image=image, cpus=1) as machine:
            return _KINDS[kind](machine)
    except ValueError as error:
        raise click.ClickException(str(error)) from None
    except OSError as error:
        raise click.ClickException(f"cannot read {error.filename}: {error.strerror}") from None
