# SPDX-License-Identifier: GPL-2.0-only
"""The options that describe a machine, and the machine made of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from emu.cli.exit_status import GUEST_DIED

if TYPE_CHECKING:
    from emu.machine import Machine

__all__ = ["GuestDied", "MachineOptions", "machine_options"]

MEBIBYTE = 1 << 20

Command = TypeVar("Command", bound=Callable[..., object])


class GuestDied(click.ClickException):
    """The guest kernel panicked; the message says how."""

    exit_code = GUEST_DIED


@dataclass(frozen=True)
class MachineOptions:
    """What the machine is to be like."""

    arch: str
    cpus: int
    memory: int  # MiB
    quantum: int  # cycles
    seed: int
    image: Path | None
    ramdisk: str | None = None

    def boot(self, console: Callable[[bytes], None]) -> Machine:
        """A machine whose guest writes to `console`.

        Raises:
            click.ClickException: there can be no such machine.
            GuestDied: it does not come up.
        """
        from emu.cpu.ramdisk import RamDisk
        from emu.machine import GuestPanic, Machine  # loads numba and Unicorn, which `emu --help` can do without

        try:
            disk = None
            if self.ramdisk is not None:
                name = self.ramdisk.removesuffix(":rw")
                disk = RamDisk.of_file(Path(name), writable=name != self.ramdisk)
            return Machine(
                arch=self.arch,
                cpus=self.cpus,
                memory=self.memory * MEBIBYTE,
                quantum=self.quantum,
                seed=self.seed,
                image=self.image,
                ramdisk=disk,
                console=console,
                warn=_warn,
            )
        except GuestPanic as panic:
            raise GuestDied(str(panic)) from None
        except ValueError as error:
            raise click.ClickException(str(error)) from None
        except OSError as error:
            what = f"cannot read {error.filename}" if error.filename else f"no machine with {self.memory} MiB of memory"
            raise click.ClickException(f"{what}: {error.strerror}") from None


def _warn(text: str) -> None:
    click.echo(f"emu: {text}", err=True)


_OPTIONS = (
    click.option("--arch", default="x86_64", show_default=True, metavar="A", help="Architecture of the machine."),
    click.option("--cpus", default=2, show_default=True, metavar="N", help="How many CPUs."),
    click.option("--memory", default=128, show_default=True, metavar="MIB", help="How much memory."),
    click.option("--quantum", default=1000, show_default=True, metavar="CYCLES", help="How far one CPU may run ahead."),
    click.option("--seed", default=0, show_default=True, metavar="N", help="Another seed, another order of events."),
    click.option(
        "--ramdisk",
        metavar="FILE[:rw]",
        help="What /dev/ram0 holds: a copy of FILE; with :rw, FILE itself. Default: 16 MiB of zeroes.",
    ),
    click.option(
        "--image",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Kernel image to boot instead of the one that comes with emu.",
    ),
)


def machine_options(command: Command) -> Command:
    """Gives a command the options of MachineOptions, as arguments of the same names."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
