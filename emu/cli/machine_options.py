# SPDX-License-Identifier: GPL-2.0-only
"""The options that describe a machine, and booting the machine that they describe."""

from __future__ import annotations

import gc
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import click

from emu.cli.guest_errors import guest_errors
from emu.cli.quantities import Duration, Frequency, Size

if TYPE_CHECKING:
    from emu.cli.progress import Progress
    from emu.machine import Machine
    from emu.native.cache import Cache

__all__ = ["MachineOptions", "RunLimits", "compiling", "machine_options"]

MEBIBYTE = 1 << 20

Command = TypeVar("Command", bound=Callable[..., object])


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


# Limits are the command's; booting is bounded by them too, but never by less than this.
_BOOT_LIMIT = 10 * 10**9  # nanoseconds of virtual time, of which a boot takes some 50 million
_BOOT_HOST_LIMIT = 60.0  # seconds


@dataclass(frozen=True)
class MachineOptions:
    """The options that describe a machine."""

    arch: str
    cpus: int
    memory: int  # bytes
    quantum: int  # cycles
    frequency: int  # Hz
    seed: int
    image: Path | None
    share: Sequence[str] = ()
    ramdisk: str | None = None
    patching: str | None = None
    append: str = ""
    smi: str | None = None
    userland: str | None = None
    host_tree: bool = False
    tracer_cost: str = "none"
    timing: str | None = None  # None: the architecture's default
    cpu_model: str | None = None

    @classmethod
    def of(cls, arguments: Mapping[str, object]) -> MachineOptions:
        """Those that a command's arguments are."""
        make: Callable[..., MachineOptions] = cls  # click has made the values what they must be
        return make(**arguments)

    def boot(self, console: Callable[[bytes], None], limits: RunLimits, progress: Progress) -> Machine:
        """Boots the machine, and tells of it by `progress`. What the guest writes goes to `console`.

        Raises:
            click.ClickException: an option's value is wrong, or the host refuses the memory or a file.
            GuestDied: the kernel panicked while it booted.
            TimedOut: the kernel neither booted nor panicked within the limits.
        """
        up: int | None = None

        def booting() -> str:
            if up is None:
                return "making the machine"
            return f"booting CPU {up + 1} of {self.cpus}" if up < self.cpus else f"booting, all {up} CPUs are up"

        def count(cpus: int) -> None:
            nonlocal up
            up = cpus

        with progress.during(booting):
            return self._boot(console, limits, progress, count)

    def _boot(
        self, console: Callable[[bytes], None], limits: RunLimits, progress: Progress, booting: Callable[[int], None]
    ) -> Machine:
        def warn(text: str) -> None:
            # A terminal may be in raw mode now, and would not go to the start of a line.
            line = f"emu: {text}".replace("\n", "\r\n") + "\r" if sys.stderr.isatty() else f"emu: {text}"
            with progress.while_writing(b"\n"):
                click.echo(line, err=True)

        warnings.showwarning = lambda message, *_: warn(str(message))  # of the cache of compiled code
        # What is imported now stays: that the garbage collector looks through it again and again takes a fifth of a short run.
        gc.disable()
        # Loads numba and Unicorn, which `emu --help` can do without; and may compile.
        from emu.native.cache import Cache

        progress.instead = lambda: compiling(Cache)
        from emu.cpu.ramdisk import RamDisk
        from emu.ftrace.sites.protocol_file import protocol_of
        from emu.machine import Machine, Share

        if not gc.get_freeze_count():  # else garbage of the last command would stay, where a process runs several
            gc.freeze()
        gc.enable()
        try:
            disk = None
            if self.ramdisk is not None:
                name = self.ramdisk.removesuffix(":rw")
                disk = RamDisk.of_file(Path(name), writable=name != self.ramdisk)
            try:
                patching = None if self.patching is None else protocol_of(self.patching)
            except ValueError as error:
                raise ValueError(f"--patching {self.patching}: {error}") from None
            with guest_errors():
                return Machine(
                    arch=self.arch,
                    cpus=self.cpus,
                    memory=self.memory,
                    quantum=self.quantum,
                    frequency=self.frequency,
                    seed=self.seed,
                    image=self.image,
                    shares=[Share.parse(text) for text in self.share],
                    userland=self.userland,
                    host_tree=self.host_tree,
                    ramdisk=disk,
                    patching=patching,
                    command_line=self.append,
                    smi=self.smi,
                    tracer_cost=self.tracer_cost,
                    timing=self.timing,
                    cpu_model=self.cpu_model,
                    console=console,
                    warn=warn,
                    booting=booting,
                    boot_limit=None if limits.limit is None else max(limits.limit, _BOOT_LIMIT),
                    boot_host_limit=None if limits.host_limit is None else max(limits.host_limit, _BOOT_HOST_LIMIT),
                )
        except ValueError as error:
            raise click.ClickException(str(error)) from None
        except OSError as error:
            memory = f"{self.memory // MEBIBYTE} MiB of memory"
            what = f"cannot read {error.filename}" if error.filename else f"no machine with {memory}"
            raise click.ClickException(f"{what}: {error.strerror}") from None


def compiling(cache: type[Cache]) -> str | None:
    """Says which function is being compiled now; None: none is."""
    name = "".join(cache.under_way[-1:])  # the list may change meanwhile
    return f"compiling {name} ({cache.compiled} done)" if name else None


_OPTIONS = (
    click.option("--arch", default="x86_64", show_default=True, metavar="A", help="Architecture of the machine."),
    click.option("--cpus", default=2, show_default=True, metavar="N", help="How many CPUs."),
    click.option("--memory", type=Size(), default="128M", show_default=True, metavar="SIZE", help="How much memory: 64M, 1G."),
    click.option("--quantum", default=1000, show_default=True, metavar="CYCLES", help="How far one CPU may run ahead."),
    click.option(
        "--frequency",
        type=Frequency(),
        default="100MHz",
        show_default=True,
        metavar="HZ",
        help="How many cycles a second has: 100MHz, 3GHz. Durations in traces are cycles over this.",
    ),
    click.option("--seed", default=0, show_default=True, metavar="N", help="Another seed, another order of events."),
    click.option(
        "--timing",
        metavar="MODEL",
        help="How long instructions take: static, pipeline or caches (docs/timing.md). Default: pipeline, on SPARC V9 static;"
        " of `emu stat`: caches.",
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
        help="How call sites are changed: breakpoint, flush, stop_machine, or a function of yours, FILE.py:NAME (docs/races.md).",
    ),
    click.option("--append", default="", metavar="WORDS", help="Parameters of the guest's kernel: 'trace_event=initcall'."),
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
    """Gives a command the options of MachineOptions and RunLimits, as arguments of the same names."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
