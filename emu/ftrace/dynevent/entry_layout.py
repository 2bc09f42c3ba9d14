# SPDX-License-Identifier: GPL-2.0-only
"""What the entries of probes' events hold: the addresses that are probed, then the arguments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from emu.ftrace.dynevent.arguments import Argument
from emu.ftrace.event.call import COMMON_SIZE, EventKind, Field

__all__ = ["EntryLayout"]

_WORD = 8  # bytes


@dataclass(frozen=True)
class _Head:
    """What entries of a kind begin with, behind the common fields: addresses."""

    names: Sequence[str]
    text: str  # in print fmt


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
    """Where the entries of an event have what.

    Attributes:
        kind: of the event.
        arguments: of its probes.
        offsets: of each argument, in bytes from the entry's beginning.
        size: of an entry, in bytes, without what strings append.
    """

    kind: EventKind
    arguments: Sequence[Argument]
    offsets: Sequence[int]
    size: int

    @classmethod
    def of(cls, kind: EventKind, arguments: Sequence[Argument]) -> EntryLayout:
        """The layout: the arguments follow each other without gaps."""
        offsets = []
        end = COMMON_SIZE + _WORD * len(_HEADS[kind].names)
        for argument in arguments:
            offsets.append(end)
            end += argument.size
        return cls(kind, arguments, offsets, end)

    def fields(self) -> list[Field]:
        """As `format` shows them, after the common ones."""
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
    if argument.count:  # whose length Linux does not show here
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
