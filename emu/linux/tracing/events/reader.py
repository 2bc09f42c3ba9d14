# SPDX-License-Identifier: GPL-2.0-only
"""Reads the events of a Linux, as its headers have declared them, from the memory of the kernel or of a module.

A table of pointers leads to struct trace_event_call, which leads to its class and to the fields: struct trace_event_fields. The
kernel lays the fields out when it registers an event. Here the same is done by sizes and alignments, so that nothing depends on
how far the kernel has booted. The table itself is in memory that is freed after the boot, so the image's copy is used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from emu.ftrace.btf import Btf
from emu.ftrace.event.c_numbers import CTypes
from emu.ftrace.event.call import COMMON_SIZE, Field
from emu.ftrace.event.evals import Eval, Evals
from emu.ftrace.native.trace_values import EVENT_LIMIT, LARGEST_ENTRY
from emu.linux.image import Kernel
from emu.linux.memory import LinuxMemory
from emu.linux.symbols import Symbols

__all__ = ["EventReader", "LinuxEvent", "image_evals", "image_table"]

_WORD = 8  # bytes of a pointer and of a long
_MOST_FIELDS = 128  # of an event: Linux's have 40
_BY_FUNCTION = (1 << 64) - 1  # TRACE_FUNCTION_TYPE: a function of the kernel defines these fields
_TYPES = CTypes(_WORD)
_SYSTEM, _NAME = re.compile(r"[\w-]+", re.ASCII), re.compile(r"\w+", re.ASCII)
_LEAST_ALIGNMENT = 4  # of an entry: that of its common fields


@dataclass(frozen=True, eq=False)
class LinuxEvent:
    """An event as the guest knows it.

    Attributes:
        address: of its struct trace_event_call.
        fields: those after the common ones. Of a system call's event, only those that all have.
        size: bytes of an entry, without the data of dynamic fields.
        number: the guest's own ID; 0 if it has not given it one yet.
        module: "" for the kernel.
        tracepoint: the address of its struct tracepoint; 0: it has none of its own.
        probe: the address of the kernel's function that makes its entries; 0 if there is none.
        data: what its struct trace_event_call points to: a system call's metadata.
    """

    address: int
    system: str
    name: str
    fields: Sequence[Field] = field(repr=False)
    print_fmt: str = field(repr=False)
    size: int
    number: int
    module: str
    tracepoint: int
    probe: int
    data: int


def image_table(kernel: Kernel, symbols: Symbols, name: str) -> Sequence[int]:
    """The pointers of a table in the image, between the symbols __start_NAME and __stop_NAME; none if it has no such table.

    Raises:
        LookupError: the image has nothing where these symbols are.
    """
    start, stop = symbols.address(f"__start_{name}"), symbols.address(f"__stop_{name}")
    if not start or not stop or stop <= start:
        return ()
    return kernel.contents(start, start + (stop - start) // _WORD * _WORD).cast("Q").tolist()


def image_evals(kernel: Kernel, symbols: Symbols, btf: Btf) -> Iterator[Eval]:
    """The names of numbers in the kernel's events. After the boot, only the image still has them.

    Raises:
        LookupError: the image has nothing where a table leads.
    """
    size = btf.size("trace_eval_map")
    members = [btf.offset(f"trace_eval_map.{name}") for name in ("system", "eval_string", "eval_value")]
    for address in image_table(kernel, symbols, "ftrace_eval_maps"):
        row = kernel.contents(address, address + size)
        system, name, value = (int.from_bytes(row[at : at + _WORD], "little") for at in members)
        yield Eval(_image_string(kernel, system), _image_string(kernel, name), value - (value >> 63 << 64))


def _image_string(kernel: Kernel, address: int) -> str:
    for length in (64, 1):
        found, at = b"", address
        try:
            while b"\0" not in found:
                found += bytes(kernel.contents(at, at + length))
                at += length
        except LookupError:
            if length == 1:
                raise
            continue
        break
    return found.partition(b"\0")[0].decode(errors="surrogateescape")


class _Row:
    """Some members of a structure, as unsigned numbers.

    Attributes:
        size: of the structure, in bytes.
    """

    def __init__(self, btf: Btf, structure: str, members: Sequence[str]) -> None:
        self.size = btf.size(structure)
        fields = ((name, btf.bit_field(f"{structure}.{name}")) for name in members)
        self._members = [
            (name, place.offset // 8, (place.offset + place.size + 7) // 8, place.offset % 8, (1 << place.size) - 1)
            for name, place in fields
        ]

    def read(self, memory: LinuxMemory, address: int) -> Mapping[str, int]:
        """Those of the structure at an address."""
        row = memory.read(address, self.size)
        return {
            name: int.from_bytes(row[first:last], "little") >> shift & mask for name, first, last, shift, mask in self._members
        }


class EventReader:
    """Reads events.

    Args:
        memory: the guest's.
        btf: its kernel's.

    Raises, from any method:
        LookupError: the memory does not hold a valid event, or the kernel's types are not as expected.
    """

    def __init__(self, memory: LinuxMemory, btf: Btf) -> None:
        self._memory = memory
        self._texts: dict[int, str] = {}
        self._fields: dict[int, tuple[Sequence[Field], int]] = {}
        self._classes: dict[int, tuple[str, int, int]] = {}
        self._has_tracepoint = btf.enumerator("TRACE_EVENT_FL_TRACEPOINT") or 0
        self._is_dynamic = btf.enumerator("TRACE_EVENT_FL_DYNAMIC") or 0
        self._call = _Row(btf, "trace_event_call", ("class", "name", "event.type", "print_fmt", "data", "flags"))
        self._class = _Row(btf, "trace_event_class", ("system", "probe", "fields_array"))
        of_field = ["type", "name", "size", "align", "is_signed"]  # and, since Linux 5.19:
        self._field = _Row(btf, "trace_event_fields", [*of_field, *["len"] * btf.has("trace_event_fields.len")])
        self._tracepoint_name = btf.offset("tracepoint.name")

    def read(self, calls: Sequence[int], module: str = "", evals: Evals | None = None) -> Iterator[LinuxEvent]:
        """The events whose struct trace_event_call are at these addresses, without those of the system `ftrace`.

        Args:
            module: whose they are.
            evals: the names that the guest may not have replaced in print fmts yet.
        """
        for address in calls:
            call = self._call.read(self._memory, address)
            system, probe, table = self._class_at(call["class"])
            if system == "ftrace" or call["flags"] & self._is_dynamic:
                continue
            tracepoint = call["name"] if call["flags"] & self._has_tracepoint else 0
            name = self._memory.word(tracepoint + self._tracepoint_name) if tracepoint else call["name"]
            named = self._text(name)
            if not (_SYSTEM.fullmatch(system) and _NAME.fullmatch(named) and call["event.type"] < EVENT_LIMIT):
                raise LookupError(f"an event at {address:#x} is called {f'{system}:{named}'!a}, or has no valid number")
            fields, size = self._fields_at(table)
            print_fmt = self._memory.string(call["print_fmt"]) if call["print_fmt"] else ""  # the kernel makes some at boot
            yield LinuxEvent(
                address, system, named, fields, evals.replaced(system, print_fmt) if evals else print_fmt,
                size, call["event.type"], module, tracepoint, probe, call["data"],
            )  # fmt: skip

    def _class_at(self, address: int) -> tuple[str, int, int]:
        """The system, the probe, and where the table of fields is."""
        if address not in self._classes:
            found = self._class.read(self._memory, address)
            self._classes[address] = self._text(found["system"]), found["probe"], found["fields_array"]
        return self._classes[address]

    def _text(self, address: int) -> str:
        if address not in self._texts:
            self._texts[address] = self._memory.string(address)
        return self._texts[address]

    def _fields_at(self, table: int) -> tuple[Sequence[Field], int]:
        """The fields of a class, and the size of its entries. A table ends with a field without a type."""
        if table not in self._fields:
            fields: list[Field] = []
            end, alignment = COMMON_SIZE, _LEAST_ALIGNMENT
            for n in range(_MOST_FIELDS) if table else ():
                known = self._field.read(self._memory, table + n * self._field.size)
                if known["type"] in (0, _BY_FUNCTION):
                    break
                align = known["align"]
                start = -(-end // align) * align if align in (1, 2, 4, 8, 16) else LARGEST_ENTRY
                if start + known["size"] > LARGEST_ENTRY or n == _MOST_FIELDS - 1:
                    raise LookupError(f"the fields at {table:#x} do not end, or are too large")
                fields.append(self._field_of(known, start))
                end, alignment = start + known["size"], max(alignment, align)
            self._fields[table] = fields, -(-end // alignment) * alignment
        return self._fields[table]

    def _field_of(self, known: Mapping[str, int], offset: int) -> Field:
        type_, size, element = self._text(known["type"]), known["size"], 0
        base, bracket, _ = type_.partition("[")
        if bracket:
            named = _TYPES.named(base.removeprefix("__data_loc").removeprefix("__rel_loc").split())
            element = named.size if named else 1
            if not base.startswith(("__data_loc", "__rel_loc")):
                length = known.get("len", size // element)
                type_ = f"{base}[{length or ''}]"
                element = size // length if length and size % length == 0 else element
        return Field(type_, self._text(known["name"]), offset, size, bool(known["is_signed"]), element)
