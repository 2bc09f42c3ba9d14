# SPDX-License-Identifier: GPL-2.0-only
"""Reads the events defined by the guest's headers, from the memory of the kernel or of a module.

A table of pointers leads to struct trace_event_call, which leads to the fields (struct trace_event_field). The fields' offsets
are not stored. They follow from sizes and alignments, as the compiler lays out the entry.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from emu.ftrace.event.call import COMMON_SIZE, EventCall, Field
from emu.ftrace.event.evals import Eval, Evals
from emu.ftrace.event.guest_source import GuestSource
from emu.ftrace.native.trace_values import LARGEST_ENTRY
from emu.kernel.memory import GuestMemory
from emu.kernel.work import Work

__all__ = ["EventReader", "GuestEvent", "GuestEvents"]

_MOST_FIELDS = 64


@dataclass(frozen=True)
class GuestEvent:
    """An event without a number yet.

    Attributes:
        address: its struct trace_event_call.
        system, name, fields, print_fmt, size, key, hook, module: as in EventCall.
        has_reg: whether the guest has a function that must be called to turn it on.
    """

    address: int
    system: str
    name: str
    fields: Sequence[Field]
    print_fmt: str
    size: int
    key: int
    hook: int
    module: str
    has_reg: bool

    def call(self, number: int, work: Work) -> EventCall:
        """The event with a number. `work`: calls functions of the guest."""
        return EventCall(
            self.system,
            self.name,
            number,
            self.fields,
            self.print_fmt,
            self.size,
            key=self.key,
            hook=self.hook,
            module=self.module,
            source=GuestSource(work, self.address) if self.has_reg else None,
        )


@dataclass(frozen=True)
class GuestEvents:
    """The events of the kernel or of a module, and the symbolic numbers in their declarations and print fmts."""

    module: str  # empty for the kernel
    events: Sequence[GuestEvent]
    evals: Sequence[Eval]


class EventReader:
    """Reads the events of the kernel or of one module.

    Args:
        memory: the guest's memory.
        evals: the addresses of their struct trace_eval_map.
        module: the module's name; empty for the kernel.

    Raises, from any method:
        ValueError, LookupError: the memory does not hold a valid event; LookupError if it points outside the kernel's memory.
    """

    def __init__(self, memory: GuestMemory, evals: Sequence[int], module: str = "") -> None:
        self._memory = memory
        self._module = module
        self._layout = memory.image.structure("trace_event_field", ("type", "name", "size", "align", "is_signed", "element"))
        self._fields: dict[int, tuple[Sequence[Field], int]] = {}
        self._evals = [self._eval(address) for address in evals]
        self._replaced = Evals(self._evals).replaced

    def _eval(self, address: int) -> Eval:
        """The struct trace_eval_map at an address."""
        memory = self._memory
        system = memory.string(memory.member(address, "trace_eval_map.system"))
        name = memory.string(memory.member(address, "trace_eval_map.eval_string"))
        value = memory.member(address, "trace_eval_map.eval_value")
        return Eval(system, name, value - (value >> 63 << 64))

    def read(self, calls: Sequence[int]) -> GuestEvents:
        """All events and symbolic numbers. `calls`: the addresses of the events' struct trace_event_call."""
        return GuestEvents(self._module, list(self._events(calls)), self._evals)

    def _events(self, calls: Sequence[int]) -> Iterator[GuestEvent]:
        """The events whose struct trace_event_call are at these addresses."""
        memory = self._memory
        for address in calls:
            system = memory.string(memory.member(address, "trace_event_call.system"))
            name = memory.string(memory.member(address, "trace_event_call.name"))
            if not (re.fullmatch(r"[\w-]+", system) and re.fullmatch(r"\w+", name)):
                raise ValueError(f"an event is called '{system}:{name}'")
            fields, end = self._fields_at(memory.member(address, "trace_event_call.fields"))
            size = memory.member(address, "trace_event_call.size")
            if not end <= size <= LARGEST_ENTRY:
                raise ValueError(f"the fields of {system}:{name} take {end} bytes, and its entries {size}")
            print_fmt = memory.string(memory.member(address, "trace_event_call.print_fmt"))
            key = memory.member(address, "trace_event_call.key")
            hook = memory.member(address, "trace_event_call.hook")
            for turned in {key, hook or key}:
                memory.member(turned, "static_key.enabled")
            yield GuestEvent(
                address,
                system,
                name,
                [self._evaluated(system, field) for field in fields],
                self._replaced(system, print_fmt),
                size,
                key,
                hook,
                self._module,
                has_reg=bool(memory.member(address, "trace_event_call.reg")),
            )

    def _fields_at(self, address: int) -> tuple[Sequence[Field], int]:
        """The fields in the table at an address, and the end of the last one. Events of a class share the table."""
        if address not in self._fields:
            fields, end = [], COMMON_SIZE
            for n in range(_MOST_FIELDS + 1):
                row = np.frombuffer(self._memory.read(address + n * self._layout.itemsize, self._layout.itemsize), self._layout)
                type_, name, size, align, signed, element = row[0].tolist()
                if not type_:
                    break
                if n == _MOST_FIELDS or align not in (1, 2, 4, 8, 16):
                    raise ValueError(f"the fields at {address:#x} do not end, or are aligned at {align} bytes")
                start = -(-end // align) * align
                field = Field(self._memory.string(type_), self._memory.string(name), start, size, bool(signed), element)
                if element not in (1, 2, 4, 8) or (size % element and not field.is_dynamic):
                    raise ValueError(f"the field {field.name} has {size} bytes, in numbers of {element}")
                fields.append(field)
                end = start + size
            self._fields[address] = fields, end
        return self._fields[address]

    def _evaluated(self, system: str, field: Field) -> Field:
        """A field with the length of its array as a number."""
        if "[" not in field.type or (type_ := self._replaced(system, field.type)) == field.type:
            return field
        return Field(type_, field.name, field.offset, field.size, field.signed, field.element)
