# SPDX-License-Identifier: GPL-2.0-only
"""Events as kernels for other processors record them: with longs of 4 or 8 bytes, in either byte order.

The fields come from the formats of a real Linux for x86-64. Their offsets follow from the C ABI of the processor;
no code of emu is used.
"""

from __future__ import annotations

import random
import re
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tests.lib.trace_dat import Dat, Pages, linux_formats

__all__ = ["KERNELS", "Kernel", "file_of"]

_COMMON = 8  # the size of the common fields
_PACKED = {"funcgraph_entry", "funcgraph_exit"}  # structures without padding
_LONGS = {"long", "size_t", "ino_t", "off_t", "resource_size_t"}  # types as large as a long
_FIELD = re.compile(r"^\tfield:(.*?)(\w+)(\[.*?\])?;\toffset:(\d+);\tsize:(\d+);\tsigned:(\d);$", re.MULTILINE)


@dataclass(frozen=True)
class Field:
    """A field of an entry. `number`: the size of a number in it, in bytes."""

    type: str
    name: str
    array: str
    offset: int
    size: int
    number: int
    signed: bool

    @property
    def is_text(self) -> bool:
        return self.type.removeprefix("__data_loc ").removeprefix("const ") in ("char", "char[]") and self.is_array

    @property
    def is_array(self) -> bool:
        return bool(self.array) or self.is_dynamic

    @property
    def is_dynamic(self) -> bool:
        return self.type.startswith("__data_loc")


@dataclass(frozen=True)
class Kernel:
    """The data layout of a kernel's processor.

    Attributes:
        order: "<" or ">".
        long_size: size of a long and of a pointer, in bytes.
        wide_alignment: of an 8-byte number in a structure.
        text: the address of its first function.
    """

    name: str
    order: str
    long_size: int
    wide_alignment: int
    text: int

    def events(self) -> Iterator[tuple[str, str, Sequence[Field]]]:
        """The system, format and fields of each event that is recorded."""
        for system, name in _EVENTS:
            [found] = [text for text in linux_formats()[system] if text.startswith(f"name: {name}\n")]
            fields = list(self._fields(system, name, found))
            head, _, tail = found.partition("print fmt:")
            common, own = head.split("\n\n", 1)
            assert len(own.strip().splitlines()) == len(fields)
            lines = "".join(f"{_line(field)}\n" for field in fields)
            yield system, f"{common}\n\n{lines}\nprint fmt:{tail}", fields

    def _fields(self, system: str, name: str, text: str) -> Iterator[Field]:
        end = _COMMON
        for type_, field, array, _, size, signed in _FIELD.findall(text.partition("\n\n")[2]):
            type_ = type_.strip()
            number, count = self._number(type_, array, int(size))
            if system == "syscalls" and field != "__syscall_nr":
                number = self.long_size
            alignment = 1 if name in _PACKED else min(number, self.wide_alignment)
            offset = end + -end % alignment
            yield Field(type_, field, array, offset, number * count, number, signed == "1")
            end = offset + number * count
            if field == "tv_nsec":  # the end of a structure that begins with an 8-byte number
                end += -end % self.wide_alignment

    def _number(self, type_: str, array: str, size: int) -> tuple[int, int]:
        """The size of a number in bytes, and the number of elements."""
        if type_.startswith("__data_loc"):
            return 4, 1
        length = int(array[1:-1] or 0) if array else 1
        words = type_.split()
        if "*" in type_ or type_ == "const char *" or (words.count("long") == 1 or _LONGS - {"long"} & set(words)):
            return self.long_size, length
        return (size // length if length else {"u32": 4, "char": 1}[type_]), length

    def number(self, value: int, size: int) -> bytes:
        return (value & (1 << 8 * size) - 1).to_bytes(size, "little" if self.order == "<" else "big")

    def packed(self, *arguments: int | str | tuple[int, int]) -> bytes:
        """Arguments packed as by vbin_printf(): a long, a text, or a number with its size."""
        found = b""
        for argument in arguments:
            if isinstance(argument, str):
                found += argument.encode() + b"\0"
                continue
            value, size = argument if isinstance(argument, tuple) else (argument, self.long_size)
            found += b"\0" * (-len(found) % min(size, 4)) + self.number(value, size)
        return found


KERNELS = {
    kernel.name: kernel
    for kernel in (
        Kernel("i686", "<", 4, 4, 0xC1000000),
        Kernel("armv7", "<", 4, 8, 0xC0100000),
        Kernel("ppc", ">", 4, 8, 0xC0000000),
        Kernel("arm64", "<", 8, 8, 0xFFFFFFC008000000),
        Kernel("s390x", ">", 8, 8, 0x000003FFE0000000),
    )
}

_EVENTS = [
    *(
        ("ftrace", name)
        for name in (
            "function", "funcgraph_entry", "funcgraph_exit", "context_switch", "kernel_stack", "user_stack", "bprint", "print",
            "raw_data", "wakeup", "mmiotrace_rw", "mmiotrace_map", "branch", "hwlat", "bputs", "osnoise", "timerlat",
            "func_repeats",
        )
    ),
    *(
        tuple(path.split(":"))
        for path in (
            "sched:sched_switch", "sched:sched_wakeup", "sched:sched_wakeup_new", "sched:sched_waking",
            "sched:sched_migrate_task", "sched:sched_process_fork", "sched:sched_process_exec", "sched:sched_process_exit",
            "sched:sched_stat_runtime", "irq:irq_handler_entry", "irq:irq_handler_exit", "irq:softirq_entry",
            "timer:hrtimer_start", "timer:hrtimer_expire_entry", "timer:hrtimer_cancel", "timer:timer_expire_entry",
            "kmem:kmalloc", "kmem:kfree", "kmem:kmem_cache_free", "kmem:mm_page_free", "raw_syscalls:sys_enter",
            "raw_syscalls:sys_exit", "syscalls:sys_enter_openat", "syscalls:sys_exit_openat", "block:block_rq_issue",
            "workqueue:workqueue_execute_start", "net:net_dev_queue", "signal:signal_generate", "power:cpu_frequency",
            "tlb:tlb_flush", "writeback:writeback_start", "ext4:ext4_da_write_begin",
        )
    ),
]  # fmt: skip


def _line(field: Field) -> str:
    declared = f"{field.type} {field.name}{field.array}"
    return f"\tfield:{declared};\toffset:{field.offset};\tsize:{field.size};\tsigned:{int(field.signed)};"


# A format of trace_printk, and its arguments
_LONG = "evt=%d comm=%s cpu=%u rq=%p avg=%lu of %zu at %pS in %ps"


def file_of(kernel: Kernel, version: int = 7) -> bytes:
    """A trace.dat with several instances of each event."""
    choose, pages, formats = random.Random(0), Pages(kernel.order, kernel.long_size), dict[str, list[str]]()
    when = 10**9
    for system, text, fields in kernel.events():
        formats.setdefault(system, []).append(text)
        number = int(re.search(r"^ID: (\d+)$", text, re.MULTILINE)[1])  # type: ignore[index]  # there is one
        for n in range(3):
            when += 1_234_567
            pages.add(when, _entry(kernel, text.split("\n")[0].removeprefix("name: "), number, fields, choose, n))
    pages.flush()
    symbols = "".join(f"{kernel.text + 64 * n:0{2 * kernel.long_size}x} T fn_{n}\n" for n in range(20))
    printk = "".join(f'{_printk(kernel, n):#x} : "{text}"\n' for n, text in enumerate(_MESSAGES))
    dat = Dat(
        [pages.data], formats=formats, kallsyms=symbols, printk=printk, cmdlines="5 name\n7 other\n", order=kernel.order,
        long_size=kernel.long_size,
    )  # fmt: skip
    return dat.version7() if version == 7 else dat.version6()


_MESSAGES = (_LONG + r"\n", r"%d%% of %lld: %x\n", r"%s, %s and %*d\n", r"puts\n")


def _printk(kernel: Kernel, n: int) -> int:
    return kernel.text + 0x10000 + 32 * n


def _arguments(kernel: Kernel, n: int) -> bytes:
    """The arguments of the messages that have any."""
    return (
        kernel.packed((-3 & 0xFFFFFFFF, 4), "sh", (7, 4), kernel.text + 20, 1234, 77, kernel.text + 64 + 12, kernel.text + 128),
        kernel.packed((50, 4), (1 << 40, 8), (0xBEEF, 4)),
        kernel.packed("a", "bcd", (6, 4), (42, 4)),
    )[n]


def _entry(kernel: Kernel, event: str, number: int, fields: Sequence[Field], choose: random.Random, n: int) -> bytes:
    """An entry. Fields on which a text depends have plausible values."""
    function = kernel.text + 64 * choose.randrange(19) + 4 * n
    depth = 2 - n if event == "funcgraph_exit" else n
    special: Mapping[str, int] = {
        "depth": depth, "func": kernel.text + 64 * (3 + depth), "calltime": 5000 - n, "rettime": 5000 - n + 1234 * 10**n,
        "size": 3, "tv_nsec": 1234 + n, "fmt": _printk(kernel, n), "str": _printk(kernel, 3), "function": function,
        "call_site": function,
    }  # fmt: skip
    entry = bytearray(struct.pack(f"{kernel.order}HBBi", number, n, 0x10 * n, 5))
    data = b""
    end = max(field.offset + field.size for field in fields)
    for field in fields:
        entry = entry.ljust(field.offset, b"\0")
        if field.is_dynamic:
            content = b"text %d\0" % n if field.is_text else b"".join(kernel.number(n, 4) for n in range(3))
            entry += kernel.number(len(content) << 16 | end + len(data), 4)
            data += content
        elif field.is_text and field.size:
            entry += (b"name_%d" % n).ljust(field.size, b"\0")
        elif field.name == "caller":
            entry += b"".join(kernel.number(kernel.text + 64 * n + 8, kernel.long_size) for n in range(3))
            entry += kernel.number(-1 if event == "kernel_stack" else 0, kernel.long_size) * 5
        elif field.is_array:
            entry += b"".join(kernel.number(n + at, field.number) for at in range(field.size // field.number))
        else:
            least = -50 if field.signed and field.type in ("int", "long") else 0
            value = special.get(field.name, function if field.type == "unsigned long" else choose.randrange(least, 100))
            entry += kernel.number(value, field.size)
    match event:
        case "print":
            data = b"message %d\n\0" % n
        case "bprint":
            data = _arguments(kernel, n)
        case "raw_data":
            data = b"raw" * (n + 1) + b"\0"
    return bytes(entry) + data
