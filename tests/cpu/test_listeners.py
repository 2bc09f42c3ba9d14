# SPDX-License-Identifier: GPL-2.0-only
"""Listeners: host functions before instructions. What they see is what single steps see, and nothing changes by them."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterator
from typing import NamedTuple

import capstone
import numpy as np
import pytest
import unicorn

from emu.cpu.callouts import Callouts, Listening
from emu.cpu.internals import add_native_hook
from emu.cpu.native.cpu_records import Board, Cpu
from emu.machine import Machine
from emu.native.functions import callback
from emu.native.records import Record, Values, Words, inline, u32, u64
from tests.cpu.bare import CODE, KERNEL, PT_USER, STACK, USER, USER_FRAME, Bare

DATA = KERNEL + 0x60000
FLAGS = unicorn.x86_const.UC_X86_REG_EFLAGS
_disassembler = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)


@callback
def count(cpu: Cpu, argument: u64) -> None:
    Words(argument)[0] += 1


def listen(bare: Bare, address: int, function: Callable[[int], None], argument: int = 0) -> Listening:
    """Calls function(argument) in Python."""
    handler = bare.board.python_handler(lambda cpu, argument: function(argument))
    return bare.board.callouts.listen(address, handler, argument)


class Instruction(NamedTuple):
    """An executed instruction, and what was in the CPU before it."""

    address: int
    flags: int
    registers: tuple[int, ...]


def seen_now(bare: Bare) -> Instruction:
    (cpu,) = bare.board.cpus
    general = tuple(value for name, value in cpu.registers().items() if name != "rflags")
    return Instruction(cpu.pc, cpu.uc.reg_read(FLAGS), general)


def random_program(seed: int) -> str:
    """Arithmetic whose flags are read, changed in part, kept or lost, with branches, calls, strings and a stack."""
    r = random.Random(seed)
    registers = ["rax", "rbx", "rdx", "rsi", "r8", "r9", "r12"]

    def one() -> str:
        a, b = r.choice(registers), r.choice(registers)
        low = {"rax": "al", "rbx": "bl", "rdx": "dl", "rsi": "sil", "r8": "r8b", "r9": "r9b", "r12": "r12b"}
        condition = r.choice(["z", "nz", "c", "nc", "s", "o", "p", "a", "be", "g", "le"])
        return r.choice(
            [
                f"{r.choice(['add', 'sub', 'adc', 'sbb', 'and', 'or', 'xor', 'cmp', 'test'])} {a}, {b}",
                f"{r.choice(['inc', 'dec', 'neg', 'not'])} {a}",
                f"{r.choice(['shl', 'shr', 'sar', 'rol', 'rcl', 'rcr'])} {a}, {r.choice([1, 3, 7])}",
                f"set{condition} {low[a]}",
                f"cmov{condition} {a}, {b}",
                f"imul {a}, {b}",
                f"lea {a}, [{b} + 8]",
                f"pushfq; pop {a}",
                f"push {a}; pop {b}",
                f"mov [r15 + {8 * r.randrange(8)}], {a}",
                f"{r.choice(['add', 'xor', 'cmp'])} {a}, [r15 + {8 * r.randrange(8)}]",
                r.choice(["clc", "stc", "cmc", "std; cld", "nop", "bsf rax, rbx", "popcnt rdx, r9", "xadd [r15], r8"]),
                f"j{condition} L{r.randrange(10**9)}",
                f"mov rcx, {r.randrange(5)}; mov rdi, {DATA + 256}; rep stosb",
            ]
        )

    parts = []
    for loop in range(4):
        body = []
        for _ in range(r.randrange(5, 25)):
            text = one()
            body.append(f"{text}; nop; {text.split()[-1]}:" if text.startswith("j") else text)
        parts.append(f"mov r10, {r.randrange(2, 6)}; X{loop}: {'; '.join(body)}; dec r10; jnz X{loop}")
    return f"mov r15, {DATA}; {'; '.join(parts)}; cli; hlt"


def program_addresses(bare: Bare) -> list[int]:
    """The addresses of all instructions of the program."""
    code = bytes(bare.board.ram[CODE : CODE + 0x1000])
    found = []
    for one in _disassembler.disasm(code, KERNEL + CODE):
        found.append(one.address)
        if one.mnemonic == "hlt":
            return found
    raise AssertionError("the program has no end")


def stepped(source: str) -> Iterator[Instruction]:
    """The instructions that single steps execute. A repeated string instruction is one, up to the first element."""
    bare, before = Bare(), 0
    bare.start(source)
    (cpu,) = bare.board.cpus
    while not cpu.halted:
        now = seen_now(bare)
        if now.address != before:
            yield now
        before = now.address
        bare.board.step(cpu, lambda *_: None)


def outcome(bare: Bare) -> tuple[object, ...]:
    (cpu,) = bare.board.cpus
    return seen_now(bare), cpu.cycles, cpu.instructions, hashlib.sha256(bare.board.ram).hexdigest()


@pytest.mark.parametrize("seed", range(4))
def test_listeners_see_what_single_steps_see(seed: int) -> None:
    source = random_program(seed)
    alone = Bare()
    alone.start(source)
    assert alone.run()
    everything = list(stepped(source))
    assert len(everything) > 100
    for share in (0.1, 1):
        bare, seen = Bare(), list[Instruction]()
        bare.start(source)
        addresses = [address for address in program_addresses(bare) if random.Random(address + seed).random() < share]
        for address in addresses:
            listen(bare, address, lambda _, bare=bare, seen=seen: seen.append(seen_now(bare)))  # type: ignore[misc]
        assert bare.run()
        assert seen == [one for one in everything if one.address in addresses]
        assert outcome(bare) == outcome(alone)


def started(source: str, mark: str = "nop") -> tuple[Bare, list[int]]:
    """A board before its first instruction, and the addresses of all instructions `mark`."""
    bare = Bare()
    bare.start(source)
    code = bytes(bare.board.ram[CODE : CODE + 0x1000])
    marked = [one for one in _disassembler.disasm(code, KERNEL + CODE) if f"{one.mnemonic} {one.op_str}".strip() == mark]
    return bare, [one.address for one in marked]


LOOP = "mov rcx, 100; l: add rbx, rcx; nop; dec rcx; jnz l; cli; hlt"


def test_listeners_of_a_place_are_called_in_their_order_until_they_are_removed() -> None:
    bare, (at,) = started(LOOP)
    seen: list[int] = []

    def first(argument: int) -> None:
        seen.append(argument)
        if len(seen) == 5:
            bare.board.callouts.unlisten(second)  # which would be the next one
            bare.board.callouts.unlisten(second)
            listen(bare, at, seen.append, 3)

    listen(bare, at, first, 1)
    second = listen(bare, at, seen.append, 2)
    bare.board.callouts.unlisten(listen(bare, at, seen.append, 9))
    assert bare.run()
    assert seen == [1, 2] * 2 + [1, 3] * 98


def test_a_listener_may_be_added_and_removed_by_what_runs_at_another_one() -> None:
    """Also in the block that is running, from its next execution on."""
    bare, (one, two) = started("mov rcx, 100; l: add rbx, rcx; nop; inc rbx; nop; dec rcx; jnz l; cli; hlt")
    seen, present = list[int](), list[Listening]()

    def change(argument: int) -> None:
        arrivals = seen.count(1)
        seen.append(argument)
        if arrivals == 10:
            present.append(listen(bare, two, seen.append, 2))
        if arrivals == 20:
            bare.board.callouts.unlisten(present.pop())

    listen(bare, one, change, 1)
    assert bare.run()
    assert seen.count(1) == 100
    assert seen.count(2) == 9  # not in the block in which it was added, nor in the one in which it was removed


def test_many_listeners_are_added_and_removed_at_once() -> None:
    counter = np.zeros(2, np.uint64)
    bare, (at,) = started(LOOP)
    addresses = np.arange(at - 2000, at + 2000, dtype=np.uint64)
    all_of_them = [
        bare.board.callouts.listen_all(addresses, count, np.full(4000, counter.ctypes.data + 8 * n, np.uint64)) for n in range(2)
    ]
    bare.board.callouts.unlisten(all_of_them[0])
    assert bare.run()
    assert counter[0] == 0
    assert counter[1] == bare.board.cpus[0].instructions


def test_a_repeated_instruction_is_told_once() -> None:
    for cycles, quantum in ((0, 1000), (1000, 7)):  # executed at once, and in many turns
        bare = Bare(quantum=quantum)
        bare.start(f"mov rdi, {DATA}; mov rcx, {cycles or 5}; l: rep stosb; mov rcx, 0; rep stosb; dec rbx; jz l; cli; hlt")
        code = bytes(bare.board.ram[CODE : CODE + 0x100])
        seen: list[int] = []
        for one in _disassembler.disasm(code, KERNEL + CODE):
            if one.mnemonic == "rep stosb":
                listen(bare, one.address, lambda _, bare=bare, seen=seen: seen.append(bare.registers()["rcx"]))  # type: ignore[misc]
        assert bare.run()
        assert seen == [cycles or 5, 0]


def test_an_instruction_across_the_end_of_a_page() -> None:
    counter = np.zeros(1, np.uint64)
    bare = Bare()
    at = CODE + 0x2000 - 3  # of an instruction of ten bytes, in a block that begins in the page before
    bare.put(at - 7, "inc rbx; mov rdx, r8; nop; mov rax, 0x1122334455667788; dec rcx; jnz 0xffffffff80021ff6; cli; hlt")
    bare.start(f"mov rcx, 50; mov rax, {KERNEL + at - 7:#x}; jmp rax")
    bare.board.callouts.listen(KERNEL + at, count, counter.ctypes.data)
    assert bare.run()
    assert counter[0] == 50
    assert bare.registers()["rax"] == 0x1122334455667788


def test_a_store_that_changes_its_own_block_is_told_once() -> None:
    """The operand of the instruction after it is changed in each round: the listener there hears of what is executed."""
    source = "mov rcx, 10; l: mov al, cl; lea rdx, [rip + 3]; mov [rdx + 1], al; mov bl, 99; add r8, rbx; dec rcx; jnz l; "
    source += "cli; hlt"
    bare = Bare()
    bare.start(source)
    alone = Bare()
    alone.start(source)
    assert alone.run()
    code = bytes(bare.board.ram[CODE : CODE + 0x100])
    seen: list[int] = []
    for one in _disassembler.disasm(code, KERNEL + CODE):
        if (one.mnemonic, one.op_str) == ("mov", "byte ptr [rdx + 1], al"):
            listen(bare, one.address, lambda argument: seen.append(bare.registers()["rcx"]), 1)
        if one.op_str == "bl, 0x63":
            listen(bare, one.address, lambda _: seen.append(-(bare.board.ram[bare.board.cpus[0].pc - KERNEL + 1])))
    assert bare.run()
    assert outcome(bare) == outcome(alone)
    assert bare.registers()["r8"] == sum(range(1, 11))
    assert seen == [value for n in range(10, 0, -1) for value in (n, -n)]


def test_a_breakpoint_that_takes_the_place_of_the_instruction() -> None:
    bare, (at,) = started("mov rcx, 3; l: mov rdx, rcx; nop; dec rcx; jnz l; cli; hlt")
    bare.put(0x30000, "inc r9; iretq")
    bare.gate(3, KERNEL + 0x30000)
    seen: list[int] = []

    def look(_: int) -> None:
        place = at - KERNEL
        seen.append(bare.board.ram[place])
        bare.board.write_code(place, b"\xcc")
        bare.board.flush_page(place)

    listen(bare, at, look)
    assert bare.run()
    assert seen == [0x90, 0xCC, 0xCC]
    assert bare.registers()["r9"] == 2


def test_a_fault_executes_the_instruction_again() -> None:
    bare, (at,) = started("mov rdx, 0x7000000000; mov rcx, 1; mov rax, [rdx]; cli; hlt", "mov rax, qword ptr [rdx]")
    bare.put(0x30000, f"mov rdx, {DATA}; add rsp, 8; iretq")
    bare.gate(14, KERNEL + 0x30000)
    seen: list[int] = []
    listen(bare, at, lambda _: seen.append(bare.registers()["rdx"]))
    assert bare.run()
    assert seen == [0x7000000000, DATA]


class Log(Record):
    """How often an instruction was executed at each address from `first` on."""

    first: u64
    size: u64
    counts: Values[u64] = inline()


@callback
def executed(uc: u64, address: u64, size: u32, log: Log) -> None:
    place = address - log.first
    if place < log.size:
        log.counts[place] += 1


def state_of(machine: Machine) -> tuple[object, ...]:
    ram = hashlib.sha256(machine.board.ram).hexdigest()
    return ram, *((cpu.registers(), cpu.cycles, cpu.instructions) for cpu in machine.board.cpus)


COMMAND = "cat /proc/uptime > /dev/null; ls /bin | wc"


def test_a_kernel_with_a_thousand_listeners_is_the_one_without() -> None:
    def run(prepare: Callable[[Machine], None]) -> tuple[object, ...]:
        with Machine(arch="x86_64", cpus=2, seed=5) as machine:
            prepare(machine)
            machine.run(COMMAND)
            return state_of(machine)

    log = np.zeros(0, np.uint64)
    counters = np.zeros(0, np.uint64)
    chosen = np.zeros(0, np.uint64)

    def witness(machine: Machine) -> None:
        nonlocal log
        image = machine.kernel.image
        first = image.symbol("_text")
        size = image.symbol("_etext") - first
        log = np.zeros(2 + size, np.uint64)
        log[:2] = first, size
        for cpu in machine.board.cpus:
            add_native_hook(cpu.uc, unicorn.UC_HOOK_CODE, executed.address, log.ctypes.data)
            cpu.forget_all()

    def listened(machine: Machine) -> None:
        nonlocal counters, chosen
        first = machine.kernel.image.symbol("_text")
        places = np.flatnonzero(log[2:])
        chosen = np.array(random.Random(1).sample(places.tolist(), 1000), np.uint64)
        counters = np.zeros(1000, np.uint64)
        arguments = counters.ctypes.data + 8 * np.arange(1000, dtype=np.uint64)
        machine.board.callouts.listen_all(chosen + np.uint64(first), count, arguments)

    run(witness)
    assert run(listened) == run(lambda machine: None)
    expected = log[2 + chosen.astype(np.int64)]
    different = [n for n in range(1000) if counters[n] != expected[n]]
    assert len(different) < 10
    assert all(0 < counters[n] < expected[n] for n in different)  # repeated string instructions, told once


FRAME, NAME = USER_FRAME, 7 << 12


@callback
def name_first_frame(cpu: Cpu, page: u64) -> None:
    cpu.page_name = cpu.board.page_names if page == FRAME else 0


def test_an_instruction_of_programs_is_known_wherever_it_is_mapped() -> None:
    """The same page is mapped at two addresses, and another page with the same code at a third one."""
    bare = Bare()
    code = bare.put(USER_FRAME, "l: nop; dec rcx; jnz l; jmp rdx", USER)
    bare.bytes(USER_FRAME + 0x1000, code)
    bare.bytes(USER_FRAME + 0x2000, bytes.fromhex("cd80"))
    for n, frame in enumerate((0, 0, 1, 2)):
        bare.word(PT_USER + 8 * n, USER_FRAME + (frame << 12) | 7)
    enter = "push 0x23; push 0x9000; push 2; push 0x2b; push rax; iretq"
    bare.gate(0x80, KERNEL + 0x31000, dpl=3)
    # Each system call goes on with the next of three pages
    bare.put(0x31000, f"mov rsp, {KERNEL + STACK:#x}; add rax, 0x1000; mov rcx, 10; dec rbp; jz 0xffffffff80031100; {enter}")
    bare.put(0x31100, "cli; hlt")
    bare.start(f"mov rax, {USER:#x}; mov rcx, 10; mov rdx, {USER + 0x3000:#x}; mov rbp, 3; {enter}")
    seen: list[tuple[int, int]] = []
    handler = bare.board.python_handler(lambda cpu, argument: seen.append((cpu.pc, argument)))
    bare.board.callouts.name_pages(name_first_frame, NAME)
    listening = bare.board.callouts.listen_in_programs(np.array([NAME + 1], np.uint64), handler, np.array([5], np.uint64))
    assert bare.run()
    assert seen == [(USER + 1, 5)] * 10 + [(USER + 0x1001, 5)] * 10
    bare.board.callouts.unlisten(listening)


def test_a_checkpoint_has_its_listeners() -> None:
    """A machine that goes back has the listeners that it had then."""
    counters = np.zeros(2, np.uint64)
    with Machine(arch="x86_64", cpus=1) as machine:
        callouts, place = machine.board.callouts, np.array([machine.kernel.image.symbol("ksys_read") + 5], np.uint64)

        def hits() -> tuple[int, int]:
            counters[:] = 0
            machine.run("cat /proc/uptime")
            return int(counters[0]), int(counters[1])

        first = callouts.listen_all(place, count, np.array([counters.ctypes.data], np.uint64))
        both = machine.checkpoint()
        often, never = hits()
        assert often > 0 == never
        callouts.unlisten(first)
        callouts.listen_all(place, count, np.array([counters.ctypes.data + 8], np.uint64))
        assert hits()[0] == 0 < hits()[1]
        machine.restore(both)
        assert hits() == (often, 0)


@pytest.mark.parametrize("timing", ["pipeline", "caches"])
def test_timing_models_do_not_see_listeners(timing: str) -> None:
    counter = np.zeros(1, np.uint64)
    source = random_program(1)
    alone, bare = Bare(timing=timing), Bare(timing=timing)
    alone.start(source)
    assert alone.run()
    bare.start(source)
    addresses = np.array(program_addresses(bare), np.uint64)
    bare.board.callouts.listen_all(addresses, count, np.full(len(addresses), counter.ctypes.data, np.uint64))
    assert bare.run()
    assert outcome(bare) == outcome(alone)
    assert counter[0] > 100


def test_many_processors_have_the_same_listeners() -> None:
    counter = np.zeros(1, np.uint64)
    bare = Bare(cpus=2, quantum=50)
    for cpu in range(2):
        bare.start(f"mov rcx, 100; mov rax, {KERNEL + 0x30000:#x}; jmp rax", cpu=cpu)
    bare.put(0x30000, "l: inc rbx; nop; dec rcx; jnz l; cli; hlt")
    bare.board.callouts.listen(KERNEL + 0x30003, count, counter.ctypes.data)
    assert bare.run()
    assert counter[0] == 200


def test_a_port_without_calls_before_instructions_says_so() -> None:
    callouts = Callouts(Board.allocate(), lambda places: None, lambda: False, False)
    with pytest.raises(NotImplementedError):
        callouts.listen(0x1000, count, 0)
