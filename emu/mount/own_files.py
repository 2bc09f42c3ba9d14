# SPDX-License-Identifier: GPL-2.0-only
"""The unlisted folder .emu of a mounted tree: information about a machine that trace-cmd needs besides tracefs.

    .emu/proc/kallsyms, .emu/proc/sys/kernel/, .emu/sys/devices/system/cpu/    the guest's files at these places
    .emu/bin/guest                                                             runs a command in the guest
    .emu/run                                                                   used by that program
    .emu/byte_order                                                            of the pages in trace_pipe_raw: little or big
"""

from __future__ import annotations

import errno
import stat
from collections.abc import Callable
from functools import partial

from emu.ftrace.errors import TraceError
from emu.ftrace.numbers import parse_decimal
from emu.ftrace.tracefs.node import HandleFile, StaticDirectory
from emu.ftrace.tracefs.text_file import TextFile
from emu.kernel.files.node import Node
from emu.linux.machine import LinuxMachine
from emu.machine import Machine
from emu.mount.guest_commands import GUEST, GuestCommands, RunHandle
from emu.trace.machine_description import kallsyms

__all__ = ["own_files"]


def own_files(machine: Machine | LinuxMachine, commands: GuestCommands) -> StaticDirectory:
    """The folder. `commands` gets the data written to `run`."""
    ftrace, last = machine.trace_array.ftrace, len(machine.cpus) - 1
    cpus = TextFile(lambda: f"0-{last}\n" if last else "0\n")
    sysctls = {
        "ftrace_enabled": _switch(lambda: ftrace.enabled, ftrace.set_enabled),
        "kptr_restrict": _switch(lambda: False, _show_addresses),
        "stack_tracer_enabled": _switch(lambda: ftrace.stack_tracer_enabled, ftrace.set_stack_tracer),
    }
    guest = TextFile(lambda: GUEST)
    guest.mode = stat.S_IFREG | 0o755
    return _folder(
        proc=_folder(kallsyms=TextFile(lambda: kallsyms(ftrace.kernel)), sys=_folder(kernel=_folder(**sysctls))),
        sys=_folder(devices=_folder(system=_folder(cpu=_folder(possible=cpus, online=cpus)))),
        bin=_folder(guest=guest),
        run=HandleFile(0o600, lambda flags: RunHandle(flags, commands)),
        byte_order=TextFile(lambda: f"{ftrace.kernel.memory.byte_order}\n"),
    )


def _folder(**entries: Node) -> StaticDirectory:
    folder = StaticDirectory(entries)
    folder.mode = stat.S_IFDIR | 0o755
    return folder


def _switch(is_on: Callable[[], bool], turn: Callable[[bool], object]) -> TextFile:
    """A sysctl that is 0 or 1."""
    return TextFile(lambda: f"{int(is_on())}\n", partial(_turn, is_on, turn))


def _turn(is_on: Callable[[], bool], turn: Callable[[bool], object], text: str) -> None:
    on = bool(parse_decimal(text))
    if on != is_on():
        turn(on)


def _show_addresses(restrict: bool) -> None:
    raise TraceError(errno.EINVAL, "the guest always shows addresses")
