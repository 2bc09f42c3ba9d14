# SPDX-License-Identifier: GPL-2.0-only
"""Small BTF, written as Documentation/bpf/btf.rst says."""

from __future__ import annotations

import struct

from emu.ftrace.btf import Btf
from emu.ftrace.btf_types import Kind

__all__ = ["BtfWriter", "some_types"]


class BtfWriter:
    """Adds types one after the other.

    Args:
        base: the writer whose types and strings are continued, as a module's are.
    """

    def __init__(self, base: BtfWriter | None = None) -> None:
        self.base = base
        self.types = bytearray()
        self.strings = bytearray() if base else bytearray(b"\0")
        self.count: int = base.count if base else 1
        self.first_string: int = base.first_string + len(base.strings) if base else 0

    def string(self, text: str) -> int:
        """The place of a string, which is written if it is not there yet."""
        if not text:
            return 0
        sought = text.encode() + b"\0"
        at, writer = -1, self
        for holder in (self.base, self):
            if at < 0 and holder:
                at, writer = (b"\0" + holder.strings).find(b"\0" + sought), holder
        if at < 0:
            at, writer = len(self.strings), self
            self.strings += sought
        return at + writer.first_string

    def add(self, kind: Kind, name: str = "", last: int = 0, *words: int, count: int = 0, flag: bool = False) -> int:
        """Adds a type, and gives its number."""
        self.types += struct.pack("<III", self.string(name), count | kind << 24 | flag << 31, last)
        self.types += struct.pack(f"<{len(words)}I", *(word & 0xFFFF_FFFF for word in words))
        self.count += 1
        return self.count - 1

    def integer(self, name: str, size: int, encoding: int = 0) -> int:
        return self.add(Kind.INT, name, size, encoding << 24 | 8 * size)

    def aggregate(self, kind: Kind, name: str, size: int, *members: tuple[str, int, int], bits: bool = False) -> int:
        """A structure or a union: of each member the name, the type, the place in bits."""
        words = [word for member, number, place in members for word in (self.string(member), number, place)]
        return self.add(kind, name, size, *words, count=len(members), flag=bits)

    def enum(self, name: str, *values: tuple[str, int], size: int = 4) -> int:
        words: list[int] = []
        for text, value in values:
            words += (self.string(text), value) if size == 4 else (self.string(text), value, value >> 32)
        kind, flag = Kind.ENUM if size == 4 else Kind.ENUM64, any(value < 0 for _, value in values)
        return self.add(kind, name, size, *words, count=len(values), flag=flag)

    def function(self, name: str, result: int, *parameters: tuple[str, int]) -> int:
        words = [word for parameter, number in parameters for word in (self.string(parameter), number)]
        return self.add(Kind.FUNC, name, self.add(Kind.FUNC_PROTO, "", result, *words, count=len(parameters)))

    def data(self) -> bytes:
        """The whole BTF."""
        sizes = 0, len(self.types), len(self.types), len(self.strings)
        return struct.pack("<HBBIIIII", 0xEB9F, 1, 0, 24, *sizes) + bytes(self.types + self.strings)

    def btf(self) -> Btf:
        return Btf(self.data())


def some_types() -> BtfWriter:
    """At least one type of each kind."""
    made = BtfWriter()
    integer, char, boolean = made.integer("int", 4, 1), made.integer("char", 1, 3), made.integer("_Bool", 1, 4)
    long = made.integer("unsigned long", 8)
    inner = made.aggregate(Kind.STRUCT, "thread_info", 16, ("flags", long, 0), ("cpu", integer, 64))
    tasks = made.add(Kind.PTR, "", made.count + 8)  # the structure below, with what is between
    name = made.add(Kind.ARRAY, "", 0, char, integer, 16)
    pid = made.add(Kind.TYPEDEF, "pid_t", made.add(Kind.TYPEDEF, "__kernel_pid_t", integer))
    modified = made.add(Kind.VOLATILE, "", made.add(Kind.CONST, "", pid))
    either = made.aggregate(Kind.UNION, "", 8, ("exit_state", integer, 0), ("exit_word", long, 0))
    nested = made.aggregate(Kind.STRUCT, "", 16, ("first", long, 0), ("", either, 64))
    task = made.aggregate(
        Kind.STRUCT, "task_struct", 72,
        ("thread_info", inner, 0), ("pid", modified, 128), ("in_execve", integer, 1 << 24 | 161),
        ("in_iowait", integer, 5 << 24 | 162), ("comm", name, 192), ("", nested, 320), ("parent", tasks, 448), ("", either, 512),
        bits=True,
    )  # fmt: skip
    assert task == tasks + 8
    made.add(Kind.TYPEDEF, "task_t", task)
    made.add(Kind.ARRAY, "", 0, made.add(Kind.ARRAY, "", 0, pid, integer, 3), integer, 2)
    made.aggregate(Kind.STRUCT, "table", 24, ("rows", made.count - 1, 0))
    made.enum("state", ("RUNNING", 0), ("DEAD", 0xFFFF_FFFE))
    made.enum("restart", ("NORESTART", 0), ("RESTART", -3))
    made.enum("wide", ("LARGE", 1 << 40), ("LARGEST", (1 << 64) - 1), size=8)
    made.enum("wide_and_negative", ("SMALLEST", -(1 << 40)), size=8)
    made.add(Kind.FWD, "unknown")
    pointer = made.add(Kind.RESTRICT, "", made.add(Kind.PTR, "", made.add(Kind.TYPE_TAG, "user", char)))
    read = made.function("vfs_read", long, ("file", pointer), ("count", long), ("wait", boolean), ("pid", pid))
    made.function("printk", integer, ("format", pointer), ("", 0))
    made.function("nothing", 0)
    made.add(Kind.TYPEDEF, "btf_trace_wakeup", made.add(Kind.PTR, "", read - 1))
    made.add(Kind.FLOAT, "double", 8)
    made.add(Kind.DATASEC, ".data..percpu", 4, made.add(Kind.VAR, "counter", integer, 1), 0, 4, count=1)
    made.add(Kind.DECL_TAG, "kfunc", read, -1)
    return made
