# SPDX-License-Identifier: GPL-2.0-only
"""The system calls of a Linux: their names, numbers and arguments, from the tables that SYSCALL_DEFINEn() leaves."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from emu.ftrace.btf import Btf
from emu.ftrace.event.syscalls import SyscallEvents, argument_fields
from emu.linux import arch
from emu.linux.image import Kernel
from emu.linux.memory import LinuxMemory
from emu.linux.symbols import Symbols
from emu.linux.tracing.events.reader import image_table

__all__ = ["LinuxSyscall", "Syscalls", "strings_of"]

_WORD = 8
_NONE = "sys_ni_syscall"  # stands for those that are not there


class LinuxSyscall(NamedTuple):
    """A system call that has a number.

    Attributes:
        events: its two events.
        enter, exit: the addresses of the events' struct trace_event_call.
    """

    events: SyscallEvents
    enter: int
    exit: int


_BUFFERS = frozenset({"buf", "u_msg_ptr"})  # arguments of a string's type that are no strings: of write, for example
_OF_MOUNT = frozenset({"dev_name", "dir_name", "type"})  # strings of another type
_MOST_STRINGS = 3


def strings_of(events: SyscallEvents) -> Collection[str]:
    """The arguments of a system call that are strings which it reads, such as path names: at most three, as in Linux 6.19."""
    of_other_type = _OF_MOUNT if events.name == "sys_mount" else frozenset()
    found = (
        field.name
        for field in events.arguments
        if (field.type == "const char *" and field.name not in _BUFFERS) or field.name in of_other_type
    )
    return [*itertools.islice(found, _MOST_STRINGS)]


class Syscalls:
    """The system calls of a kernel. What the kernel itself fills in at boot is not read.

    Args:
        kernel, symbols, btf: the kernel's.
        memory: the guest's.

    Raises:
        LookupError: the tables are not as expected.
    """

    def __init__(self, kernel: Kernel, symbols: Symbols, btf: Btf, memory: LinuxMemory) -> None:
        self._symbols, self._memory = symbols, memory
        members = ("name", "nb_args", "types", "args", "enter_event", "exit_event")
        self._members = {
            name: (btf.offset(f"syscall_metadata.{name}"), btf.size(f"syscall_metadata.{name}")) for name in members
        }
        self._size = btf.size("syscall_metadata")
        self._metadata = image_table(kernel, symbols, "syscalls_metadata")
        self._functions = self._table(kernel) if self._metadata else ()

    def _table(self, kernel: Kernel) -> Sequence[int]:
        """The functions of the system calls, by number: up to the next symbol behind the table."""
        start = self._symbols.address(arch.SYSCALL_TABLE)
        if start is None:
            return ()
        end = int(self._symbols.addresses[np.searchsorted(self._symbols.addresses, np.uint64(start), "right")])
        return kernel.contents(start, start + (end - start) // _WORD * _WORD).cast("Q").tolist()

    def read(self) -> Iterator[LinuxSyscall]:
        """The system calls. As in Linux, one that has several numbers is known by the last."""
        numbers: dict[str, int] = {}
        for number, function in enumerate(self._functions):
            if (name := self._name_at(function)) is not None:
                numbers[name] = number
        for address in self._metadata:
            row = self._memory.read(address, self._size)
            found = {name: int.from_bytes(row[at : at + size], "little") for name, (at, size) in self._members.items()}
            name = self._memory.string(found["name"])
            if name in numbers:
                events = SyscallEvents(name, [numbers[name]], argument_fields(*self._arguments(found)))
                yield LinuxSyscall(events, found["enter_event"], found["exit_event"])

    def _name_at(self, function: int) -> str | None:
        """The name under which the system call at an address is defined. Of several symbols, Linux takes the first."""
        symbol = self._symbols.names[int(np.searchsorted(self._symbols.addresses, np.uint64(function)))]
        prefix = next((prefix for prefix in arch.SYSCALL_PREFIXES if symbol.startswith(prefix)), None)
        name = None if prefix is None else f"sys_{symbol.removeprefix(prefix)}"
        return None if name == _NONE else name

    def _arguments(self, found: Mapping[str, int]) -> tuple[Sequence[str], Sequence[str]]:
        """The types and the names."""
        types, names = (
            [self._memory.string(self._memory.word(found[member] + n * _WORD)) for n in range(found["nb_args"])]
            for member in ("types", "args")
        )
        return types, names
