# SPDX-License-Identifier: GPL-2.0-only
"""The machine that a command traces: emu's own kernel, or a Linux from outside."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, TypeAlias

from emu.cli.command import CommandOutput
from emu.cli.linux.options import LinuxOptions
from emu.cli.linux.running import boot_linux
from emu.cli.machine_options import RunLimits, boot, config_of
from emu.cli.progress import Progress

if TYPE_CHECKING:
    from emu.linux.machine import LinuxMachine
    from emu.machine import Machine

    AnyMachine: TypeAlias = Machine | LinuxMachine

__all__ = ["OF_LINUX", "traced_machine"]

OF_LINUX = ("-p", "-e", "-f", "-R", "-l", "-n", "-g", "-F", "-P", "-O", "-b", "-m", "-C", "--set")
"""The options of `trace_options` that mean something for a Linux."""


def traced_machine(
    arguments: dict[str, object],
    on_linux: LinuxOptions | None,
    console: CommandOutput,
    limits: RunLimits,
    progress: Progress,
    set_up: Callable[[AnyMachine], None],
    recording: Collection[str],
) -> AnyMachine:
    """A booted machine whose tracing is set up.

    Args:
        arguments: those of `machine_options`.
        on_linux: what the command line says of a Linux guest; None: it is emu's own kernel.
        console: gets what the guest writes.
        limits: how long the command may run.
        progress: reports the boot.
        set_up: sets tracing up.
        recording: the trace arrays that record. With --from-reset they do so from the boot on.

    Raises: as boot and boot_linux, and what `set_up` raises.
    """
    if on_linux is None:
        machine: AnyMachine = boot(config_of(arguments), console, limits, progress)
    elif on_linux.from_reset:

        def prepare(new: LinuxMachine) -> None:
            set_up(new)
            for name in recording:
                new.tracefs.write(f"instances/{name}/tracing_on" if name else "tracing_on", "1")

        return boot_linux(on_linux, progress, console, console, prepare)
    else:
        machine = boot_linux(on_linux, progress, console, console)
    try:
        set_up(machine)
    except BaseException:
        machine.close()
        raise
    return machine
