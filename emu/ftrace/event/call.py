# SPDX-License-Identifier: GPL-2.0-only
"""One event: its name, its fields, and how it is printed (Linux: struct trace_event_call)."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from emu.ftrace.event.source import EventSource

__all__ = ["COMMON_FIELDS", "COMMON_SIZE", "EventCall", "EventKind", "Field", "format_text"]


class EventKind(enum.Enum):
    """Where an event comes from, which determines how it is recorded and printed."""

    TRACEPOINT = "tracepoint"  # of the guest; printed by its print fmt
    SYSCALL_ENTER = "syscall enter"  # recorded by the tracepoint of all calls; `sys_close(fd: 3)`
    SYSCALL_EXIT = "syscall exit"
    FTRACE = "ftrace"  # recorded by the host; it cannot be enabled
    KPROBE = "kprobe"  # defined at run time, as are all that follow: `myopen: (do_sys_openat2+0x0/0xe0) dfd=0x3`
    KRETPROBE = "kretprobe"  # `myopenret: (__x64_sys_openat+0x5c/0x70 <- do_sys_openat2) ret=0x3`
    UPROBE = "uprobe"
    URETPROBE = "uretprobe"
    EPROBE = "eprobe"  # `myep: (syscalls.sys_enter_openat) flags=0x241`
    SYNTHETIC = "synthetic"  # `wakeup_latency: lat=188 pid=7381`


@dataclass(frozen=True)
class Field:
    """A field of an entry.

    `type` is as in `format`: an array is `char[16]`. A field `__data_loc TYPE[]` is a word in the entry with its data's
    location: the offset from the entry's start in the low half, the length in bytes in the high half. For `__rel_loc TYPE[]`
    the offset counts from the end of the word. In a ring buffer all numbers have the host's byte order.
    """

    type: str
    name: str
    offset: int  # bytes from the start of the entry
    size: int
    signed: bool
    element: int = 0  # bytes of the number, or of each number in the array; 0: as `size`

    @property
    def is_dynamic(self) -> bool:
        """Whether the field is a location word of data elsewhere in the entry."""
        return self.type.startswith(("__data_loc", "__rel_loc"))

    @property
    def data_base(self) -> int:
        """The offset in the entry from which a dynamic field counts its data's offset."""
        return self.offset + self.size if self.type.startswith("__rel_loc") else 0

    @property
    def number_size(self) -> int:
        """The size in bytes of the number in the field, or of each number in its array."""
        return self.element or self.size

    @property
    def declaration(self) -> str:
        """The type and the name as C declares them: `char comm[16]`."""
        if self.type.endswith("]") and not self.is_dynamic:
            base, bracket, length = self.type.partition("[")
            return f"{base} {self.name}{bracket}{length}"
        return f"{self.type} {self.name}"


COMMON_FIELDS = (
    Field("unsigned short", "common_type", 0, 2, False),
    Field("unsigned char", "common_flags", 2, 1, False),
    Field("unsigned char", "common_preempt_count", 3, 1, False),
    Field("int", "common_pid", 4, 4, True),
)


COMMON_SIZE = COMMON_FIELDS[-1].offset + COMMON_FIELDS[-1].size  # the offset at which an event's own fields begin, in bytes


@dataclass(frozen=True, eq=False)
class EventCall:
    """An event. Events are compared by identity."""

    system: str
    name: str
    number: int  # `common_type` of its entries, the ID in `format`
    fields: Sequence[Field]  # those after the common ones
    print_fmt: str
    size: int  # bytes of an entry, without the data of dynamic fields
    kind: EventKind = EventKind.TRACEPOINT
    key: int = 0  # address of the struct static_key that turns the event on; 0: it has none
    hook: int = 0  # address of a second key that must be on for the event to be reached; 0: it has none
    module: str = ""  # the event's module; "": the kernel
    source: EventSource | None = None  # of an event that was defined at run time

    @property
    def path(self) -> str:
        """`sched:sched_switch`"""
        return f"{self.system}:{self.name}"

    @property
    def keys(self) -> set[int]:
        """The addresses of the static keys (struct static_key) that must be on."""
        return {self.key, self.hook} - {0}


def format_text(call: EventCall) -> str:
    """events/SYSTEM/NAME/format."""

    def line(field: Field) -> str:
        where = f"offset:{field.offset};\tsize:{field.size};\tsigned:{int(field.signed)};"
        return f"\tfield:{field.declaration};\t{where}\n"

    common, own = ("".join(map(line, fields)) for fields in (COMMON_FIELDS, call.fields))
    return f"name: {call.name}\nID: {call.number}\nformat:\n{common}\n{own}\nprint fmt: {call.print_fmt}\n"
