# SPDX-License-Identifier: GPL-2.0-only
"""What single events cost in the model `caches`: the loops that the C programs in this folder measure, on a board without a
kernel."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Iterator
from typing import NamedTuple

import keystone

from emu.cpu import arch
from emu.cpu.board import Board
from emu.cpu.timing.core import Core

__all__ = ["Event", "model_events"]

# Virtual addresses: RAM as the kernel maps it, in large pages; and the same RAM in small pages, as user space has it.
_KERNEL = 0xFFFF_FFFF_8000_0000
_MEMORY = 128 << 20
_PML4, _PDPT_HIGH, _PDPT_LOW, _PD_HIGH, _PD_LOW = (0x10000 + 0x1000 * n for n in range(5))
_PAGE_TABLES = 0x100000  # for the small pages: a table for each 2 MiB
_CODE, _STACK, _AREA = 0x200000, 0x1F0000, 8 << 20
_SHARED = 0x180000  # a cache line that two CPUs use
_QUANTUM = 1000
_BASE = {False: 0, True: _KERNEL}

_assembler = keystone.Ks(keystone.KS_ARCH_X86, keystone.KS_MODE_64)


class Event(NamedTuple):
    """What an event costs."""

    name: str  # of the measured event
    cycles: float
    turns: str = ""  # the length of CPUs' turns in instructions, where it matters


class _Bare:
    """CPUs that run assembled code, without a kernel."""

    def __init__(self, core: Core, cpus: int = 1, quantum: int = _QUANTUM) -> None:
        self.board = Board(arch.load("x86_64"), cpus, _MEMORY, quantum, 0, 1_000_000_000, "caches", core.name)
        self.board.reset_page_table = _PML4
        self.words(_PML4, [_PDPT_LOW | 7])
        self.words(_PML4 + 511 * 8, [_PDPT_HIGH | 3])
        self.words(_PDPT_HIGH + 510 * 8, [_PD_HIGH | 3])
        self.words(_PDPT_LOW, [_PD_LOW | 7])
        self.words(_PD_HIGH, [n << 21 | 0x83 for n in range(_MEMORY >> 21)])
        self.words(_PD_LOW, [_PAGE_TABLES + n * 4096 | 7 for n in range(_MEMORY >> 21)])
        self.words(_PAGE_TABLES, [n << 12 | 7 for n in range(_MEMORY >> 12)])

    def words(self, place: int, values: list[int]) -> None:
        self.board.ram[place : place + len(values) * 8] = struct.pack(f"<{len(values)}Q", *values)

    def run(self, sources: list[str], huge: bool = True) -> list[int]:
        """Runs a program on each CPU until all have halted. Returns the cycles that each program has left in r14."""
        for cpu, source in zip(self.board.cpus, sources, strict=True):
            place = _CODE + cpu.index * 0x100000
            code = bytes(_assembler.asm(source, _BASE[huge] + place)[0])
            self.board.ram[place : place + len(code)] = code
            cpu.start(_BASE[huge] + place, 0, 0)
        while self.board.run(lambda cpu, number, arguments: cpu.answer(0)):
            pass
        return [cpu.registers()["r14"] for cpu in self.board.cpus]


def _timed(setup: str, body: str, times: int, *, huge: bool, warm: int, first: int = _AREA) -> str:
    """A program that runs `body` `warm` times, then `times` times, and leaves in r14 how long the latter took."""
    return f"""
        mov rsp, {_BASE[huge] + _STACK:#x}; mov rbx, {_BASE[huge] + first:#x}; mov rbp, {warm}; xor r13d, r13d
        again: {setup}; jmp begin; .p2align 6
        begin: {body}
        dec rbp; jnz begin
        rdtscp; shl rdx, 32; or rax, rdx; mov r14, rax; sub r14, r13; test r13, r13; jnz end
        mov r13, rax; mov rbp, {times}; jmp again
        end: cli; hlt; jmp end"""


def _cost(core: Core, body: str, setup: str = "", *, times: int = 1000, warm: int = 1000) -> float:
    return _Bare(core).run([_timed(setup, body, times, huge=True, warm=warm)])[0] / times


_LOOPS = {  # the same as in core.c
    "loop": "",
    "lock add": "lock add qword ptr [rbx], 1",
    "add to memory": "add qword ptr [rbx], 1",
    "xchg with memory": "xchg rax, [rbx]",
    "lock cmpxchg": "lock cmpxchg [rbx], rcx",
    "lock xadd": "lock xadd [rbx], rcx",
    "store, mfence": "mov [rbx], rax; mfence",
    "lfence": "lfence",
    "rdtscp": "rdtscp",
    "pause": "pause",
    "push, pop": "push rax; pop rax",
    "call and return": "call f; jmp g; f: ret; g:",
    "call and return diverted on the stack": "call f; jmp g; f: lea rax, [rip + g]; mov [rsp], rax; ret; g:",
    "call and return elsewhere by a jump": "call f; jmp g; f: lea rsp, [rsp + 8]; jmp g; g:",
    "random branch": "RANDOM; bt eax, 27; jc f; nop; f:",
    "random branch, but never taken": "RANDOM; bt rcx, 64; cmp rsp, 1; jc f; nop; f:",
    "random branch that waits for a load from L1": "RANDOM; mov rcx, rax; and ecx, 4088; add rcx, [rbx + rcx]; bt eax, 27;"
    " adc ecx, 0; test cl, 1; jz f; nop; f:",
    "load that hits L1, plain": "mov rax, [rbx]; and eax, 0; add rbx, rax",
}
_RANDOM = "imul rax, rax, 0x5851f42d; add rax, 12345"


def _loops(core: Core) -> Iterator[Event]:
    for name, body in _LOOPS.items():
        yield Event(name, _cost(core, body.replace("RANDOM", _RANDOM)))
    for count, distance in ((1, 16), (2, 16), (4, 16), (16, 16), (4, 64), (16, 64)):
        name = f"{count} jumps over {distance} bytes" if count > 1 else "1 jump to the next instruction"
        yield Event(name, _cost(core, "".join(f"jmp j{n}; .balign {distance}; j{n}:;" for n in range(count))))
    for name, jump in (("taken", "jz"), ("not taken", "jnz")):
        body = "".join(f"test eax, eax; {jump} j{n}; nop; .balign 16; j{n}:;" for n in range(16))
        yield Event(f"16 conditional jumps, {name}", _cost(core, body, "xor eax, eax"))
    for instruction, sizes in (("stosb", (16, 64, 256, 1024, 4096)), ("movsb", (16, 64, 256, 1024, 4096)),
                               ("stosq", (8, 64, 512)), ("movsq", (8, 64, 512))):  # fmt: skip
        for size in sizes:
            body = f"xor eax, eax; mov ecx, {size}; lea rdi, [rbx + 64]; lea rsi, [rbx + 131136]; rep {instruction}"
            yield Event(f"rep {instruction}, {size} bytes", _cost(core, body))
    targets = "lea rax, [rip + targets]; mov ecx, 16; mov rdx, rbx; t: mov [rdx], rax; add rax, 16; add rdx, 8; dec ecx; jnz t"
    landing = ".balign 16; targets: " + "jmp f; .balign 16;" * 16 + "f:"
    for count in (1, 2, 4, 8, 16):
        body = f"mov rax, rbp; and rax, {count - 1}; jmp [rbx + rax * 8]; {landing}"
        yield Event(f"indirect jump, targets in turn: {count}", _cost(core, body, targets))


def _code(core: Core) -> Iterator[Event]:
    """Code that is called from a loop, the same as in code.c."""
    for count in (64, 1024, 2048, 4096, 8192, 16384):
        jumps = (b"\xe9\x0b\0\0\0" + b"\x90" * 11) * count + b"\xc3"
        yield Event(f"a jump among many, 16 bytes apart: {count}", _calls(core, jumps) / count)
    for depth in (1, 4, 10, 16, 28, 31, 32, 33, 36, 40):
        body = (b"\xe8\x3b\0\0\0\xc3".ljust(64, b"\x90")) * (depth - 1) + b"\xc3"
        yield Event(f"nested calls and returns: {depth}", _calls(core, body) / depth)


def _calls(core: Core, code: bytes) -> float:
    bare = _Bare(core)
    bare.board.ram[_AREA : _AREA + len(code)] = code
    return bare.run([_timed("", "call rbx", 20, huge=True, warm=20)])[0] / 20


def _chase(core: Core, count: int, stride: int, huge: bool) -> float:
    """The cost of a load of the next of `count` places, `stride` bytes apart, linked in a random circle."""
    bare = _Bare(core)
    order = list(range(count))
    random.Random(5).shuffle(order)
    places = [_AREA + n * stride + (n * 64 % stride if stride > 64 else 0) for n in order]
    for place, following in zip(places, places[1:] + places[:1], strict=True):
        bare.words(place, [_BASE[huge] + following])
    steps = 20000
    touch = f"""
        test r13, r13; jnz chase; mov rbx, {_BASE[huge] + _AREA:#x}; mov rcx, {count * stride // 64}
        touch: mov rax, [rbx]; add rbx, 64; dec rcx; jnz touch; mov rbx, {_BASE[huge] + places[0]:#x}
        chase: nop"""  # memory.c has written them
    program = _timed(touch, "mov rbx, [rbx]", steps, huge=huge, warm=max(count * 2, steps), first=places[0])
    return bare.run([program], huge)[0] / steps


def _memory(core: Core) -> Iterator[Event]:
    for huge, name in ((False, "small"), (True, "huge")):
        for kib in (16, 32, 64, 256, 512, 1024, 2048, 4096, 8192, 16384, 65536):
            yield Event(f"load, lines in random order, {name} pages: {kib} KiB", _chase(core, kib << 4, 64, huge))
    for pages in (32, 64, 128, 512, 1024, 2048, 4096, 8192, 16384):
        yield Event(f"load, a line of each page in random order, pages: {pages}", _chase(core, pages, 4096, False))
    for kib in (16, 128, 1024, 8192, 65536):
        times = kib << 2
        reading = "add rax, [rbx]; add rax, [rbx + 64]; add rax, [rbx + 128]; add rax, [rbx + 192]; add rbx, 256"
        again = f"mov rbx, {_KERNEL + _AREA:#x}"
        yield Event(f"reading a line, in order: {kib} KiB", _cost(core, reading, again, times=times, warm=times) / 4)
        writing = "".join(f"mov [rbx + {n}], rax;" for n in range(0, 64, 8)) + "add rbx, 64"
        yield Event(f"writing a line, in order: {kib} KiB", _cost(core, writing, again, times=times * 4, warm=times * 4))


def _sharing(core: Core) -> Iterator[Event]:
    """Two CPUs that take turns, as in sharing.c; the first is timed."""
    line = f"mov rbx, {_KERNEL + _SHARED:#x}"
    disturbing = {
        "the other CPU too, of the same word": "lock inc qword ptr [rbx]",
        "the other CPU loads the word": "mov rax, [rbx]",
    }
    for name, other in disturbing.items():
        for quantum in (60, 250, 1000, 4000):
            programs = [
                _timed(line, body, times, huge=True, warm=2000)
                for body, times in (("lock inc qword ptr [rbx]", 20000), (other, 60000))
            ]
            cost = _Bare(core, 2, quantum).run(programs)[0] / 20000
            yield Event(f"lock inc, {name}", cost, str(quantum))
    for quantum in (60, 250, 1000, 4000):
        ping = "mov rax, [rbx]; inc rax; mov [rbx], rax; w: cmp [rbx], rax; je w"
        pong = "w: mov rax, [rbx]; test al, 1; jz w; inc rax; mov [rbx], rax"
        programs = [_timed(line, body, 2000, huge=True, warm=200) for body in (ping, pong)]
        cost = _Bare(core, 2, quantum).run(programs)[0] / 2000
        yield Event("a word to another CPU and back", cost, str(quantum))


def model_events(core: Core) -> Iterator[Event]:
    """What the events that need no operating system cost on a CPU model."""
    parts: tuple[Callable[[Core], Iterator[Event]], ...] = (_loops, _code, _memory, _sharing)
    for part in parts:
        yield from part(core)
