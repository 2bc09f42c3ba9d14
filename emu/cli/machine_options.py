# SPDX-License-Identifier: GPL-2.0-only
"""The options that describe a machine, and booting the described machine."""

from __future__ import annotations

import gc
import importlib
import sys
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import click

from emu.cli.arch_option import Command, arch_option
from emu.cli.guest_errors import guest_errors
from emu.cli.quantities import Duration, Frequency, Size
from emu.machine_config import MachineConfig

if TYPE_CHECKING:
    from emu.cli.progress import Progress
    from emu.cpu.ramdisk import RamDisk
    from emu.ftrace.sites.patching import Protocol
    from emu.machine import Machine
    from emu.native.cache import Cache

__all__ = [
    "Arguments", "RunLimits", "boot", "compiling", "config_of", "load_libraries", "machine_options", "said_by",
    "with_counting_model",
]  # fmt: skip

MEBIBYTE = 1 << 20


class RunLimits(NamedTuple):
    """How long a command may run: the arguments of Machine.run."""

    limit: int | None  # nanoseconds of virtual time
    host_limit: float | None  # seconds

    @classmethod
    def taken_from(cls, arguments: dict[str, object]) -> RunLimits:
        """Removes the limits from a command's arguments and returns them."""
        limit, host = arguments.pop("limit"), arguments.pop("host_limit")
        assert isinstance(limit, int | None) and isinstance(host, int | None)
        return cls(limit, None if host is None else host / 10**9)


# Limits are for the command. They also apply to booting, but at least this much time is allowed for that.
_BOOT_LIMIT = 10 * 10**9  # nanoseconds of virtual time; a boot takes about 50 million
_BOOT_HOST_LIMIT = 60.0  # seconds


Arguments: TypeAlias = dict[str, Any]
"""The values of a command's options, as click has converted them, by name."""


def config_of(arguments: Mapping[str, object]) -> MachineConfig:
    """The machine described by a command's arguments. Files among them are not accessed yet."""
    make: Callable[..., MachineConfig] = MachineConfig  # click has converted the values
    return make(**arguments)


def with_counting_model(config: MachineConfig) -> MachineConfig:
    """The configuration with the timing model that counts most, if none was chosen.

    Raises:
        click.ClickException: the architecture does not exist.
    """
    from emu.cpu import arch
    from emu.cpu.timing import CACHES, STATIC

    if config.timing is not None:
        return config
    try:
        return replace(config, timing=CACHES if arch.load(config.arch).cpu_models else STATIC)
    except ValueError as error:
        raise click.ClickException(str(error)) from None


def boot(config: MachineConfig, console: Callable[[bytes], None], limits: RunLimits, progress: Progress) -> Machine:
    """Boots a machine, reporting by `progress`. The guest's output goes to `console`.

    Raises:
        click.ClickException: an option's value is wrong, or the host refuses memory or a file.
        GuestDied: the kernel panicked while it booted.
        TimedOut: the kernel neither booted nor panicked within the limits.
    """
    up: int | None = None

    def booting() -> str:
        if up is None:
            return "making the machine"
        return f"booting CPU {up + 1} of {config.cpus}" if up < config.cpus else f"booting, all {up} CPUs are up"

    def count(cpus: int) -> None:
        nonlocal up
        up = cpus

    warn = said_by(progress)
    warnings.showwarning = lambda message, *_: warn(str(message))  # from the cache of compiled code
    with progress.during(booting):
        load_libraries(progress, "emu.machine")
        try:
            opened = replace(config, ramdisk=_ramdisk(config), patching=_patching(config))
            with guest_errors():
                return new_machine(
                    **vars(opened),
                    console=console,
                    warn=warn,
                    booting=count,
                    boot_limit=None if limits.limit is None else max(limits.limit, _BOOT_LIMIT),
                    boot_host_limit=None if limits.host_limit is None else max(limits.host_limit, _BOOT_HOST_LIMIT),
                )
        except ValueError as error:
            raise click.ClickException(str(error)) from None
        except OSError as error:
            memory = f"{config.memory // MEBIBYTE} MiB of memory"
            what = f"cannot read {error.filename}" if error.filename else f"no machine with {memory}"
            raise click.ClickException(f"{what}: {error.strerror}") from None


def said_by(progress: Progress) -> Callable[[str], None]:
    """A function that writes warnings to standard error."""

    def warn(text: str) -> None:
        # A terminal may be in raw mode now, where a newline does not return to the start of the line.
        line = f"emu: {text}".replace("\n", "\r\n") + "\r" if sys.stderr.isatty() else f"emu: {text}"
        with progress.while_writing(b"\n"):
            click.echo(line, err=True)

    return warn


def new_machine(**parameters: Any) -> Machine:
    """Machine(...), imported when it is called: see load_libraries."""
    from emu.machine import Machine

    return Machine(**parameters)


def load_libraries(progress: Progress, machine: str) -> None:
    """Loads numba and Unicorn, which `emu --help` does not need, and a module with a machine. This may compile functions.

    The imported modules are frozen: otherwise garbage collections would traverse them repeatedly, which takes a fifth of a short
    run.
    """
    gc.disable()
    from emu.native.cache import Cache

    progress.instead = lambda: compiling(Cache)
    importlib.import_module(machine)

    if not gc.get_freeze_count():  # otherwise garbage of the last command would stay, if a process runs several
        gc.freeze()
    gc.enable()


def _ramdisk(config: MachineConfig) -> RamDisk | None:
    """The disk for `FILE[:rw]`."""
    from emu.cpu.ramdisk import RamDisk

    if not isinstance(config.ramdisk, str):
        return None
    name = config.ramdisk.removesuffix(":rw")
    return RamDisk.of_file(Path(name), writable=name != config.ramdisk)


def _patching(config: MachineConfig) -> str | Protocol | None:
    """The protocol for `METHOD` or `FILE.py:NAME`."""
    from emu.ftrace.sites.protocol_file import protocol_of

    if not isinstance(config.patching, str):
        return config.patching
    try:
        return protocol_of(config.patching)
    except ValueError as error:
        raise ValueError(f"--patching {config.patching}: {error}") from None


def compiling(cache: type[Cache]) -> str | None:
    """Text about the function that is being compiled; None if none is."""
    name = "".join(cache.under_way[-1:])  # the list may change in another thread
    return f"compiling {name} ({cache.compiled} done)" if name else None


_OPTIONS = (
    arch_option("Architecture of the machine."),
    click.option("--cpus", default=2, show_default=True, metavar="N", help="How many CPUs."),
    click.option("--memory", type=Size(), default="128M", show_default=True, metavar="SIZE", help="How much memory: 64M, 1G."),
    click.option("--quantum", default=1000, show_default=True, metavar="CYCLES", help="How far one CPU may run ahead."),
    click.option(
        "--frequency",
        type=Frequency(),
        default="100MHz",
        show_default=True,
        metavar="HZ",
        help="Cycles per second: 100MHz, 3GHz. Durations in traces are cycles over this.",
    ),
    click.option("--seed", default=0, show_default=True, metavar="N", help="Another seed, another order of events."),
    click.option(
        "--timing",
        metavar="MODEL",
        help="How long instructions take: static, pipeline or caches (docs/timing.md). Default: pipeline, or static"
        " without CPU models; of `emu stat`: caches.",
    ),
    click.option("--cpu-model", metavar="NAME", help="The CPU that pipeline and caches follow (`emu list cpu-models`)."),
    click.option(
        "--tracer-cost",
        default="none",
        show_default=True,
        metavar="NAME",
        help="Time that recording takes: none, or linux: as on a real machine (emu/ftrace/tracers/tracer_cost.py).",
    ),
    click.option(
        "--ramdisk",
        metavar="FILE[:rw]",
        help="What /dev/ram0 holds: a copy of FILE; with :rw, FILE itself. Default: 16 MiB of zeroes.",
    ),
    click.option(
        "--patching",
        metavar="METHOD",
        help="How call sites are changed: breakpoint, flush, stop_machine, or your own function, FILE.py:NAME"
        " (docs/races.md).",
    ),
    click.option(
        "--append",
        "command_line",
        default="",
        metavar="WORDS",
        help="Parameters of the guest's kernel: 'trace_event=initcall'.",
    ),
    click.option(
        "--smi",
        metavar="PERIOD:LENGTH[:CPU]",
        help="Interrupts that the guest cannot see, on all CPUs or on one: 10ms:50us. The tracer hwlat finds them.",
    ),
    click.option(
        "--limit",
        type=Duration(),
        metavar="TIME",
        help="End the run after this much virtual time: 10s, 500us. A number alone is seconds.",
    ),
    click.option("--host-limit", type=Duration(), metavar="TIME", help="End the run after this much time of the host."),
    click.option(
        "--image",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Kernel image to boot instead of the one that comes with emu.",
    ),
    click.option(
        "--share",
        "shares",
        metavar="DIR[:GUESTDIR][:rw]",
        multiple=True,
        help="A folder for the guest, at GUESTDIR or /mnt/NAME. Can be read; with :rw also written. Repeatable.",
    ),
    click.option(
        "--userland",
        metavar="busybox[=PATH]",
        help="The shell and the tools are those of a static busybox of the host, not the guest's own.",
    ),
    click.option(
        "--host-tree",
        is_flag=True,
        help="The guest has the host's /usr, /lib, /lib64 and /bin, to be read: its dynamic programs run.",
    ),
)


def machine_options(command: Command) -> Command:
    """Gives a command the options of MachineConfig and RunLimits, with arguments of the same names."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
