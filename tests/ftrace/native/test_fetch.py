# SPDX-License-Identifier: GPL-2.0-only
"""The values that native code fetches for the arguments of probes, compared with a model in Python."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emu.ftrace.dynevent.argument import Argument, Op, ProbeSite, Step
from emu.ftrace.dynevent.arguments import parse_arguments
from emu.ftrace.dynevent.entry_layout import EntryLayout
from emu.ftrace.dynevent.fetch_program import FetchProgram
from emu.ftrace.dynevent.probe_errors import ProbeCommand
from emu.ftrace.dynevent.symbol_names import SymbolNames
from emu.ftrace.event.call import EventCall, EventKind, Field
from emu.ftrace.native import context, fetch, user_memory
from emu.ftrace.native.trace_records import EventContext
from emu.ftrace.native.trace_values import LARGEST_ENTRY
from emu.machine import Machine
from emu.native.records import Bytes, Words
from tests.lib.booted_machine import booted_machine

SIZE = 1 << 14  # bytes of the memory that probes read; no guest memory follows
FAULT = b"(fault)\0"
MASK = (1 << 64) - 1
EVENT = EventCall(
    "test", "sample", 99,
    [
        Field("int", "pid", 8, 4, True), Field("char[8]", "name", 12, 8, True, 1), Field("u16", "small", 20, 2, False),
        Field("__data_loc char[]", "path", 24, 4, True, 1), Field("__rel_loc char[]", "near", 28, 4, True, 1),
        Field("u64", "where", 32, 8, False),
    ],
    '""', 40,
)  # fmt: skip


class Fetcher:
    """Runs fetch programs in a halted machine. `base`: the address of the memory that they read, the end of the guest's."""

    def __init__(self, machine: Machine) -> None:
        board = machine.board
        recorder = machine.trace_array.recorder
        self.machine, self.memory = machine, machine.kernel.memory
        self.byte_order = board.arch.byte_order
        self.registers = machine.trace_array.ftrace.arch.probing().registers
        guest = recorder.globals.guest
        about = context.build(guest)
        tables = importlib.import_module(f"emu.ftrace.native.arch.{board.arch.name}_user").PAGE_TABLES
        self._fetch = fetch.build(guest, about, user_memory.build(guest, about, tables))
        self._cpu, self._array = board.cpus[0].record, recorder.globals.records.top
        self.names = SymbolNames(recorder.globals.symbols)
        self.end = board.arch.direct_map + self._array.ram_size
        self.base = self.end - SIZE
        self.memory.write(self.end, b"\xff" * 16)  # must never be found

    def fetched(self, layout: EntryLayout, values: dict[int, int], entry: bytes = b"") -> bytes:
        """The entry that a program makes. `values`: of registers; `entry`: of the probed event."""
        image = np.zeros(64, np.uint64)
        for word, value in values.items():
            image[word] = value
        probed = np.frombuffer(entry.ljust(8, b"\0"), np.uint8).copy()
        told = EventContext.allocate()
        told.registers, told.ip = Words(image.ctypes.data), self.base
        told.entry, told.size = probed.ctypes.data, len(entry)
        stage = np.full(4096, 0xEE, np.uint8)
        program = FetchProgram(layout, self.registers, self.names.record)
        size = self._fetch(self._cpu, self._array, told, program.program, Bytes(stage.ctypes.data), layout.size)
        assert size % 4 == 0 and size <= LARGEST_ENTRY
        return stage[:size].tobytes()


@pytest.fixture(scope="module")
def fetcher(arch: str) -> Any:
    with booted_machine(arch, cpus=1) as machine:
        yield Fetcher(machine)


class Model:
    """The same in Python."""

    def __init__(self, fetcher: Fetcher, values: dict[int, int], memory: bytes) -> None:
        self._values = values
        self._memory = memory
        self._base = fetcher.base
        self._byte_order = fetcher.byte_order
        self._stack = fetcher.registers.stack_pointer, fetcher.registers.stack_bias

    def read(self, address: int, size: int, user: bool) -> int | None:
        start = (address & MASK) - self._base
        if user or not 0 <= start <= len(self._memory) - size:
            return None
        return int.from_bytes(self._memory[start : start + size], self._byte_order)

    def string(self, address: int, user: bool) -> bytes | None:
        start = (address & MASK) - self._base
        if user or not 0 <= start < len(self._memory):
            return None
        text, end, _ = self._memory[start:].partition(b"\0")
        return text + b"\0" if end else None

    def value(self, steps: Sequence[Step]) -> int | None:
        value: int | None = None
        for step in steps:
            match step.op:
                case Op.REGISTER:
                    value = self._values.get(step.value, 0)
                case Op.STACK:
                    word, bias = self._stack
                    value = self.read(self._values.get(word, 0) + bias + 8 * step.value, 8, False)
                case Op.IMMEDIATE:
                    value = step.value
                case Op.DEREFERENCE | Op.USER_DEREFERENCE:
                    user = step.op is Op.USER_DEREFERENCE
                    value = None if value is None else self.read(value + step.value, 8, user)
        return value

    def numbers(self, argument: Argument) -> list[int]:
        *steps, last = argument.steps
        size = argument.type.size
        if last.is_dereference:
            base = self.value(steps)
            user = last.op is Op.USER_DEREFERENCE
            places = [None if base is None else base + last.value + n * size for n in range(argument.count or 1)]
            found = [0 if place is None else self.read(place, size, user) or 0 for place in places]
        else:
            found = [(self.value(argument.steps) or 0) & ((1 << 8 * size) - 1)]
        bits = argument.bits
        return found if bits is None else [one >> bits.offset & ((1 << bits.width) - 1) for one in found]

    def strings(self, argument: Argument) -> list[bytes | None]:
        *steps, last = argument.steps
        base = self.value(steps) if last.is_dereference else self.value(argument.steps)
        if base is None:
            return [None] * (argument.count or 1)
        if not argument.count:
            return [self.string(base + (last.value if last.is_dereference else 0), argument.is_user)]
        user = last.op is Op.USER_DEREFERENCE
        pointers = [self.read(base + last.value + 8 * n, 8, user) for n in range(argument.count)]
        return [None if pointer is None else self.string(pointer, argument.is_user) for pointer in pointers]


def numbers_in(entry: bytes, argument: Argument, offset: int) -> list[int]:
    size = argument.type.size
    places = range(offset, offset + argument.size, size)
    return [int.from_bytes(entry[place : place + size], sys.byteorder) for place in places]


def strings_in(entry: bytes, argument: Argument, offset: int) -> list[bytes]:
    words = np.frombuffer(entry[offset : offset + argument.size], np.uint32).tolist()
    return [entry[word & 0xFFFF : (word & 0xFFFF) + (word >> 16)] for word in words]


def layout_of(text: str, where: ProbeSite, kind: EventKind = EventKind.KPROBE) -> EntryLayout:
    return EntryLayout.of(kind, parse_arguments(ProbeCommand("trace_kprobe", f"p here {text}"), 2, where))


# An argument is built around a register; its offsets point into the memory, across its pages, and beyond it.
OFFSETS = st.sampled_from([0, 1, 8, 0xFFC, 0xFFF, 0x1000, SIZE - 8, SIZE - 4, SIZE, 1 << 40]) | st.integers(-16, SIZE)
SHAPES = st.tuples(
    st.integers(0, 5), st.lists(st.tuples(OFFSETS, st.booleans()), max_size=3),
    st.sampled_from(["u8", "s16", "x32", "u64", "x64", "b3@5/16", "b64@0/64", "string", "ustring"]), st.integers(0, 4),
)  # fmt: skip


def written(shape: tuple[int, list[tuple[int, bool]], str, int], names: list[str]) -> str | None:
    """An argument of that shape; None: there is none."""
    register, offsets, kind, count = shape
    text = f"%{names[register]}"
    for offset, user in offsets:
        text = f"{'-' if offset < 0 else '+'}{'u' * (user and offset % 7 == 0)}{abs(offset)}({text})"
    if not offsets and (count or "string" in kind):
        return None
    return f"{text}:{kind}{f'[{count}]' if count else ''}"


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_program_fetches_what_a_model_fetches(fetcher: Fetcher, data: st.DataObject) -> None:
    names = list(fetcher.registers.names)[:6]
    words = [fetcher.registers.names[name] for name in names]
    seed = data.draw(st.integers(0, 1 << 32), label="seed")
    random = np.random.default_rng(seed)
    memory = random.integers(0, 256, SIZE, np.uint8)
    # Half of the words are pointers into the memory.
    pointers = [fetcher.base + offset for offset in random.integers(-8, SIZE + 8, SIZE // 16).tolist()]
    memory[: SIZE // 2] = np.frombuffer(b"".join(one.to_bytes(8, fetcher.byte_order) for one in pointers), np.uint8)
    fetcher.memory.write(fetcher.base, memory.tobytes())
    values = {word: fetcher.base + int(random.integers(-8, SIZE + 8)) for word in words[:4]}
    values |= {words[4]: int(random.integers(0, 1 << 63)), words[5]: fetcher.end - 1}
    texts = [written(shape, names) for shape in data.draw(st.lists(SHAPES, min_size=1, max_size=6), label="shapes")]
    chosen = " ".join(f"a{n}={text}" for n, text in enumerate(texts) if text is not None and len(text) < 64)
    layout = layout_of(chosen, ProbeSite(fetcher.registers))
    entry = fetcher.fetched(layout, values)
    model = Model(fetcher, values, memory.tobytes())
    room = LARGEST_ENTRY - layout.size
    for argument, offset in zip(layout.arguments, layout.offsets, strict=True):
        if not argument.type.is_string:
            assert numbers_in(entry, argument, offset) == model.numbers(argument), str(argument)
            continue
        for found, expected in zip(strings_in(entry, argument, offset), model.strings(argument), strict=True):
            wanted = FAULT if expected is None else expected
            assert found == (wanted if len(wanted) <= room else wanted[: room - 1] + b"\0" if room else b""), str(argument)
            room -= len(found)


def test_what_is_no_memory(fetcher: Fetcher) -> None:
    registers = fetcher.registers
    stack = fetcher.base + 256 - registers.stack_bias
    fetcher.memory.write_word(fetcher.base + 256 + 8 * 3, 0x1234_5678_9ABC_DEF0)
    layout = layout_of('a=$stack3 b=$stack3:u16 c=$stack d=\\"text" e=\\-1:s8', ProbeSite(registers))
    entry = fetcher.fetched(layout, {registers.stack_pointer: stack})
    found = [numbers_in(entry, *one)[0] for one in zip(layout.arguments, layout.offsets, strict=True)]
    assert found[:3] == [0x1234_5678_9ABC_DEF0, 0xDEF0, stack] and found[4] == 0xFF
    assert strings_in(entry, layout.arguments[3], layout.offsets[3]) == [b"text\0"]


def test_nothing_is_read_behind_the_end_of_memory(fetcher: Fetcher) -> None:
    fetcher.memory.write(fetcher.end - 4, b"abcd")
    words = "a=+0(%sp):x64 b=+0(%sp):x32 c=+0(+0(%sp)):x8 d=+0(%sp):string e=+0(%sp):x16[3]"
    layout = layout_of(words, ProbeSite(fetcher.registers))
    entry = fetcher.fetched(layout, {fetcher.registers.stack_pointer: fetcher.end - 4})
    pairs = list(zip(layout.arguments, layout.offsets, strict=True))
    numbers = [numbers_in(entry, *pairs[n]) for n in (0, 1, 2, 4)]
    halves = [int.from_bytes(text, fetcher.byte_order) for text in (b"ab", b"cd")]
    assert numbers == [[0], [int.from_bytes(b"abcd", fetcher.byte_order)], [0], [*halves, 0]]
    assert strings_in(entry, *pairs[3]) == [FAULT]


def test_names_of_addresses(fetcher: Fetcher) -> None:
    function = fetcher.machine.kernel.symbols.function_at(fetcher.machine.kernel.image.symbol("vfs_read"))
    assert function is not None
    registers, start = fetcher.registers, function[0].address
    pc = "pc" if "pc" in registers.names else "ip"
    layout = layout_of(f"a=%{pc}:symstr b=%sp:symstr", ProbeSite(registers))
    entry = fetcher.fetched(layout, {registers.pc: start + 4, registers.stack_pointer: 0x1230})
    name, number = (strings_in(entry, *one)[0] for one in zip(layout.arguments, layout.offsets, strict=True))
    assert name.startswith(b"vfs_read+0x4/0x") and number == b"0x1230\0"


def test_fields_of_an_event_never_leave_its_entry(fetcher: Fetcher) -> None:
    def fetched(path: int, near: int) -> list[bytes]:
        entry = bytearray(EVENT.size) + b"/etc\0/bin\0xx"
        entry[8:22] = (-5).to_bytes(4, sys.byteorder, signed=True) + b"eightway" + (77).to_bytes(2, sys.byteorder)
        entry[24:32] = path.to_bytes(4, sys.byteorder) + near.to_bytes(4, sys.byteorder)
        entry[32:40] = fetcher.base.to_bytes(8, sys.byteorder)
        words = "n=$name:string p=$path:string r=$near:string a=$pid b=$small:u8 c=+0($where):x8 d=+4($name):string "
        words += "x=+4($name):x8[8] y=+5($name):x32 z=+1(+1($name)):x8"
        layout = layout_of(words, ProbeSite(None, event=EVENT), EventKind.EPROBE)
        fetcher.memory.write(fetcher.base, b"\x42")
        made = fetcher.fetched(layout, {}, bytes(entry))
        pairs = list(zip(layout.arguments, layout.offsets, strict=True))
        assert [numbers_in(made, *pair)[0] for pair in pairs[3:6]] == [-5 & MASK, 77, 0x42]
        assert [numbers_in(made, *pair) for pair in pairs[7:]] == [[*b"tway", 0, 0, 0, 0], [0], [0]]
        return [strings_in(made, *pair)[0] for pair in (*pairs[:3], pairs[6])]

    assert fetched(40 | 5 << 16, 13 | 5 << 16) == [b"eightway\0", b"/etc\0", b"/bin\0", b"tway\0"]
    assert fetched(45 | 0xFFFF << 16, 0xFFFF | 5 << 16) == [b"eightway\0", b"/bin\0", b"\0", b"tway\0"]
