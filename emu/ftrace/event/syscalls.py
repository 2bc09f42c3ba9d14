# SPDX-License-Identifier: GPL-2.0-only
"""The events of system calls, sys_enter_NAME and sys_exit_NAME, from the tables that SYSCALL_DEFINEn() leaves in the image.

They have no tracepoints of their own: raw_syscalls:sys_enter and sys_exit make their entries, cut to the call's arguments.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from emu.ftrace.event.call import EventCall, EventKind, Field
from emu.kernel.memory import GuestMemory

__all__ = ["SyscallEvents", "argument_fields", "string_field", "syscall_events"]

_NUMBER = Field("int", "__syscall_nr", 8, 4, True)
_FIRST_ARGUMENT = 16  # offset in an entry of the first argument, or of the result
_WORD = 8  # of each argument, whatever its type
_LOCATION = 4  # of a string
_RESULT = Field("long", "ret", _FIRST_ARGUMENT, _WORD, True)


@dataclass(frozen=True)
class SyscallEvents:
    """The two events of a system call.

    Attributes:
        name: the name of its function, such as sys_close.
        numbers: its system call numbers, at least one.
    """

    name: str
    numbers: Sequence[int]
    arguments: Sequence[Field]

    def enter(self, number: int, key: int, strings: Collection[str] = ()) -> EventCall:
        """The event sys_enter_NAME.

        Args:
            number: of the event.
            key: the address of raw_syscalls:sys_enter's key.
            strings: the arguments whose strings the entries have, too. As in Linux 6.19, they follow all arguments.
        """
        formats: list[str] = []
        places: list[Field] = []
        values = ""
        for field in self.arguments:
            formats.append(f"{field.name}: 0x%0{2 * _WORD // 2}lx")
            values += f", ((unsigned long)(REC->{field.name}))"
            if field.name in strings:
                formats[-1] += r" \"%s\""
                place = _FIRST_ARGUMENT + _WORD * len(self.arguments) + _LOCATION * len(places)
                places.append(Field("__data_loc char[]", string_field(field.name), place, _LOCATION, False, 1))
                values += f", __get_str({places[-1].name})"
        fields = [*self.arguments, *places]
        return self._call("enter", number, fields, f'"{", ".join(formats)}"{values}', EventKind.SYSCALL_ENTER, key)

    def exit(self, number: int, key: int) -> EventCall:
        """The event sys_exit_NAME, from its number and the address of raw_syscalls:sys_exit's key."""
        return self._call("exit", number, [_RESULT], '"0x%lx", REC->ret', EventKind.SYSCALL_EXIT, key)

    def _call(self, way: str, number: int, fields: Sequence[Field], print_fmt: str, kind: EventKind, key: int) -> EventCall:
        return EventCall(
            "syscalls",
            self.name.replace("sys_", f"sys_{way}_", 1),
            number,
            [_NUMBER, *fields],
            print_fmt,
            size=max((field.offset + field.size for field in fields), default=_FIRST_ARGUMENT),
            kind=kind,
            key=key,
        )


def string_field(argument: str) -> str:
    """The field with an argument's string."""
    return f"__{argument}_val"


def syscall_events(memory: GuestMemory) -> Iterator[SyscallEvents]:
    """The system calls that have a number, sorted by function name.

    Raises:
        LookupError: the memory does not hold valid tables.
    """
    image = memory.image
    numbers: dict[int, list[int]] = {}
    for number, function in enumerate(memory.words(image.symbol("sys_call_table"), image.constant("NR_syscalls"))):
        numbers.setdefault(function, []).append(number)
    start, stop = image.symbol("__start_syscalls_metadata"), image.symbol("__stop_syscalls_metadata")
    found = []
    for address in memory.words(start, (stop - start) // _WORD):
        name = memory.string(memory.member(address, "syscall_metadata.name"))
        if called_by := numbers.get(image.symbol(name)):
            found.append(SyscallEvents(name, called_by, _arguments(memory, address)))
    yield from sorted(found, key=lambda events: events.name)


def _arguments(memory: GuestMemory, metadata: int) -> Sequence[Field]:
    count = memory.member(metadata, "syscall_metadata.nb_args")
    types, names = (
        [memory.string(text) for text in memory.words(memory.member(metadata, f"syscall_metadata.{member}"), count)]
        for member in ("types", "args")
    )
    return argument_fields(types, names)


def argument_fields(types: Sequence[str], names: Sequence[str]) -> Sequence[Field]:
    """The fields of a system call's arguments in its event sys_enter_NAME."""
    return [
        Field(type_, name, _FIRST_ARGUMENT + n * _WORD, _WORD, False)
        for n, (type_, name) in enumerate(zip(types, names, strict=True))
    ]
