# SPDX-License-Identifier: GPL-2.0-only
"""The layout of probe events' entries: the probed addresses, then the arguments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from emu.ftrace.dynevent.argument import Argument
from emu.ftrace.event.call import COMMON_SIZE, EventKind, Field

__all__ = ["EntryLayout"]

_WORD = 8  # bytes


@dataclass(frozen=True)
class _Head:
    """The addresses that entries of a kind begin with, after the common fields."""

    names: Sequence[str]
    text: str  # as in print fmt


_AT = _Head(("__probe_ip",), "(%lx)")
_RETURN = _Head(("__probe_func", "__probe_ret_ip"), "(%lx <- %lx)")
_HEADS: Mapping[EventKind, _Head] = {
    EventKind.KPROBE: _AT,
    EventKind.UPROBE: _AT,
    EventKind.KRETPROBE: _RETURN,
    EventKind.URETPROBE: _RETURN,
    EventKind.EPROBE: _Head((), ""),
}


@dataclass(frozen=True)
class EntryLayout:
    """The layout of an event's entries.

    Attributes:
        kind: the kind of the event.
        arguments: the arguments of its probes.
        offsets: the offset of each argument from the entry's start, in bytes.
        size: bytes of an entry, not counting the data of strings.
    """

    kind: EventKind
    arguments: Sequence[Argument]
    offsets: Sequence[int]
    size: int

    @classmethod
    def of(cls, kind: EventKind, arguments: Sequence[Argument]) -> EntryLayout:
        """Lays out the arguments one after another, without gaps."""
        offsets = []
        end = COMMON_SIZE + _WORD * len(_HEADS[kind].names)
        for argument in arguments:
            offsets.append(end)
            end += argument.size
        return cls(kind, arguments, offsets, end)

    def fields(self) -> list[Field]:
        """The fields after the common ones, as in `format`."""
        names = enumerate(_HEADS[self.kind].names)
        head = [Field("unsigned long", name, COMMON_SIZE + _WORD * index, _WORD, False) for index, name in names]
        return head + [_field(argument, offset) for argument, offset in zip(self.arguments, self.offsets, strict=True)]

    def print_fmt(self) -> str:
        head = _HEADS[self.kind]
        text = "".join(f" {argument.name}={_conversions(argument)}" for argument in self.arguments)
        values = [f"REC->{name}" for name in head.names]
        for argument in self.arguments:
            values += _values(argument)
        return ", ".join([f'"{head.text}{text}"', *values])


def _field(argument: Argument, offset: int) -> Field:
    kind = argument.type
    if kind.is_string:
        array = f"[{argument.count}]" if argument.count else ""
        return Field(f"{kind.field_type}{array}", argument.name, offset, argument.size, kind.signed, 1)
    if argument.count:  # Linux does not show an array's length here
        return Field(f"{kind.field_type}[]", argument.name, offset, argument.size, kind.signed, kind.size)
    return Field(kind.field_type, argument.name, offset, argument.size, kind.signed)


def _conversions(argument: Argument) -> str:
    one = argument.type.conversion
    return f"{{{','.join([one] * argument.count)}}}" if argument.count else one


def _values(argument: Argument) -> Iterator[str]:
    value = "__get_str({})" if argument.type.is_string else "REC->{}"
    if not argument.count:
        yield value.format(argument.name)
    for index in range(argument.count):
        yield value.format(f"{argument.name}[{index}]")
