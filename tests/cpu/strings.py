# SPDX-License-Identifier: GPL-2.0-only
"""String instructions as the manual describes them (SDM volume 2, REP), and a board that executes them one at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from tests.cpu.bare import KERNEL, PT_USER, Bare

__all__ = [
    "DF",
    "FAULTED",
    "FLAGS",
    "INTERRUPTED",
    "INTERRUPT_HANDLER",
    "NAMES",
    "PAGE",
    "PRESENT_WRITABLE",
    "SEGMENT_BASES",
    "SIZES",
    "WINDOW",
    "WINDOW_SIZE",
    "Bench",
    "Fault",
    "Instruction",
    "Registers",
    "Window",
    "execute",
    "same",
]

PAGE = 4096
WINDOW = 0x500000  # virtual: pages that instructions access; the physical ones are in reverse order
WINDOW_PAGES = 6
WINDOW_SIZE = WINDOW_PAGES * PAGE
_LAST_FRAME = 10 << 20
PRESENT_WRITABLE = 7

NAMES = {"movs": 0xA4, "cmps": 0xA6, "stos": 0xAA, "lods": 0xAC, "scas": 0xAE}
SIZES = (1, 2, 4, 8)
SEGMENT_BASES = {"": 0, "fs": 0x123456, "gs": 2**64 - 0x100000}
_SEGMENT_PREFIXES = {"": b"", "fs": b"\x64", "gs": b"\x65"}
_REPEAT_PREFIXES = {"": b"", "rep": b"\xf3", "repne": b"\xf2"}

CF, PF, AF, ZF, SF, DF, OF = 1, 4, 0x10, 0x40, 0x80, 0x400, 0x800
FLAGS = CF | PF | AF | ZF | SF | DF | OF

_SLOTS, _SLOT_SIZE = 0x200000, 16  # physical: instructions
_BLOCK = 0x50000  # physical: an instruction's address, then RAX RCX RSI RDI RFLAGS, which are also the results
_LOADED, _DONE, FAULTED, INTERRUPTED = 33, 34, 35, 36  # host calls
PAGE_FAULT = 14
PAGE_FAULT_HANDLER, INTERRUPT_HANDLER = 0x30000, 0x30100  # the stack in both: RAX, error code or 0, RIP, CS, RFLAGS
_LEAVE = "pop rax; add rsp, 8; iretq"


@dataclass(frozen=True)
class Instruction:
    """A string instruction: elements of `size` bytes, an address size of `bits`."""

    name: str
    size: int = 1
    repeat: str = "rep"
    bits: int = 64
    segment: str = ""

    @property
    def code(self) -> bytes:
        return (
            _SEGMENT_PREFIXES[self.segment]
            + (b"\x67" if self.bits == 32 else b"")
            + _REPEAT_PREFIXES[self.repeat]
            + {1: b"", 2: b"\x66", 4: b"", 8: b"\x48"}[self.size]
            + bytes([NAMES[self.name] | (self.size > 1)])
        )

    @property
    def reads_source(self) -> bool:
        return self.name in ("movs", "cmps", "lods")

    @property
    def uses_destination(self) -> bool:
        return self.name != "lods"

    @property
    def compares(self) -> bool:
        return self.name in ("cmps", "scas")

    def pointer(self, linear: int) -> int:
        """The value of RSI for a linear address."""
        return linear - SEGMENT_BASES[self.segment] & 2**64 - 1


@dataclass(frozen=True)
class Registers:
    rax: int
    rcx: int
    rsi: int
    rdi: int
    rflags: int = 2


class Fault(Exception):
    """An access that a page does not allow; `registers`: the instruction's registers at that time."""

    registers: Registers

    def __init__(self, address: int, write: bool) -> None:
        super().__init__(f"{address:#x}")
        self.address = address
        self.write = write


class Window:
    """The memory that instructions access; pages can be missing or read-only."""

    def __init__(self, data: bytes) -> None:
        self.data = bytearray(data)
        self.missing: set[int] = set()
        self.read_only: set[int] = set()

    def _check(self, address: int, size: int, bad: set[int], write: bool) -> int:
        at = address - WINDOW
        for byte in (at, at + size - 1):
            if byte // PAGE in bad:
                raise Fault(WINDOW + max(at, byte // PAGE * PAGE), write)
        return at

    def read(self, address: int, size: int) -> int:
        at = self._check(address, size, self.missing, False)
        return int.from_bytes(self.data[at : at + size], "little")

    def write(self, address: int, size: int, value: int) -> None:
        at = self._check(address, size, self.missing | self.read_only, True)
        self.data[at : at + size] = (value & (1 << 8 * size) - 1).to_bytes(size, "little")


def _compare(a: int, b: int, size: int, rflags: int) -> int:
    """The flags after a comparison: those of a - b."""
    top = 1 << 8 * size - 1
    result = a - b & 2 * top - 1
    flags = rflags & ~(FLAGS ^ DF)
    flags |= CF * (a < b) | ZF * (result == 0) | SF * bool(result & top) | OF * bool((a ^ b) & (a ^ result) & top)
    return flags | AF * bool((a ^ b ^ result) & 0x10) | PF * (bin(result & 0xFF).count("1") % 2 == 0)


def execute(instruction: Instruction, before: Registers, memory: Window, elements: int | None = None) -> Registers:
    """Applies an instruction to memory. Returns the registers after it; `elements`: the most elements to execute.

    Raises:
        Fault: a page does not allow an access. All elements before it have been executed.
    """
    size, mask = instruction.size, (1 << instruction.bits) - 1
    base, step = SEGMENT_BASES[instruction.segment], -size if before.rflags & DF else size
    low = (1 << 8 * size) - 1
    now = before
    while elements is None or elements > 0:
        if instruction.repeat and now.rcx & mask == 0:
            break
        source = base + (now.rsi & mask) & 2**64 - 1
        destination = now.rdi & mask
        rax, rflags = now.rax, now.rflags
        try:
            if instruction.name == "movs":
                memory.write(destination, size, memory.read(source, size))
            elif instruction.name == "stos":
                memory.write(destination, size, rax)
            elif instruction.name == "lods":
                value = memory.read(source, size)
                rax = value if size >= 4 else rax & ~low | value
            elif instruction.name == "cmps":
                value = memory.read(source, size)
                rflags = _compare(value, memory.read(destination, size), size, rflags)
            else:
                rflags = _compare(rax & low, memory.read(destination, size), size, rflags)
        except Fault as fault:
            fault.registers = now
            raise
        now = Registers(
            rax,
            (now.rcx & mask) - 1 if instruction.repeat else now.rcx,
            now.rsi + step & mask if instruction.reads_source else now.rsi,
            now.rdi + step & mask if instruction.uses_destination else now.rdi,
            rflags,
        )
        if not instruction.repeat or (instruction.compares and bool(rflags & ZF) != (instruction.repeat == "rep")):
            break
        if elements is not None:
            elements -= 1
    return now


def frame(page: int) -> int:
    """The physical address of a page of the window."""
    return _LAST_FRAME - page * PAGE


class Bench:
    """A board that executes string instructions on the window's pages, in ring 0 with interrupts off."""

    def __init__(self, bare: Bare | None = None) -> None:
        self.bare = bare or Bare()
        self._slots: dict[bytes, int] = {}
        self.handlers: dict[int, Callable[[], None]] = {}  # by number: Python code for a host call of the guest's handlers
        for page in range(WINDOW_PAGES):
            self.map(page, PRESENT_WRITABLE)
        ask = "mov eax, {}; out 0xe0, eax; jmp l; l: "  # Python answers at the end of the block
        self.bare.put(PAGE_FAULT_HANDLER, f"push rax; {ask.format(FAULTED)} mov rax, cr2; invlpg [rax]; {_LEAVE}")
        self.bare.put(INTERRUPT_HANDLER, f"push 0; push rax; {ask.format(INTERRUPTED)} {_LEAVE}")
        self.bare.gate(PAGE_FAULT, KERNEL + PAGE_FAULT_HANDLER)
        bases = "".join(
            f"mov ecx, {0xC0000100 + n:#x}; mov eax, {base & 0xFFFF_FFFF:#x}; mov edx, {base >> 32:#x}; wrmsr; "
            for n, base in enumerate((SEGMENT_BASES["fs"], SEGMENT_BASES["gs"]))
        )
        self.bare.start(
            f"{bases} again: mov eax, {_LOADED}; out 0xe0, eax; mov rax, cr3; mov cr3, rax; mov rbx, {KERNEL + _BLOCK:#x}; "
            "mov rax, [rbx + 8]; mov rcx, [rbx + 16]; mov rsi, [rbx + 24]; mov rdi, [rbx + 32]; "
            "push qword ptr [rbx + 40]; popfq; call qword ptr [rbx]; pushfq; pop qword ptr [rbx + 40]; cld; "
            "mov [rbx + 32], rdi; mov [rbx + 24], rsi; mov [rbx + 16], rcx; mov [rbx + 8], rax; "
            f"mov eax, {_DONE}; out 0xe0, eax; jmp again"
        )
        self._until(_LOADED)

    def map(self, page: int, rights: int) -> None:
        """Sets the rights of a page of the window; 0: it is not present. The guest must flush the page's translation."""
        self.bare.word(PT_USER + ((WINDOW & 0x1FFFFF) // PAGE + page) * 8, frame(page) | rights)

    def fill(self, data: bytes) -> None:
        for page in range(WINDOW_PAGES):
            self.bare.bytes(frame(page), data[page * PAGE : (page + 1) * PAGE])

    def memory(self) -> bytes:
        return b"".join(bytes(self.bare.board.ram[frame(page) : frame(page) + PAGE]) for page in range(WINDOW_PAGES))

    def address(self, instruction: Instruction) -> int:
        """The address of the instruction; `ret` follows it."""
        code = instruction.code
        if code not in self._slots:
            slot = self._slots[code] = _SLOTS + len(self._slots) * _SLOT_SIZE
            self.bare.bytes(slot, code + b"\xc3")
        return KERNEL + self._slots[code]

    def load(self, instruction: Instruction, before: Registers) -> None:
        """Prepares an instruction, which the CPU executes next."""
        words = (self.address(instruction), before.rax, before.rcx, before.rsi, before.rdi, before.rflags)
        for n, word in enumerate(words):
            self.bare.word(_BLOCK + 8 * n, word)

    def finish(self) -> Registers:
        """Executes the loaded instruction."""
        self._until(_DONE)
        after = Registers(*(self.bare.read(_BLOCK + 8 * n) for n in range(1, 6)))
        self._until(_LOADED)
        return after

    def execute(self, instruction: Instruction, before: Registers) -> Registers:
        self.load(instruction, before)
        return self.finish()

    def live(self) -> Registers:
        """The registers in the handler of a fault or interrupt."""
        values = self.bare.registers()
        rax, rflags = self.pushed(0), self.pushed(4)
        return Registers(rax, values["rcx"], values["rsi"], values["rdi"], rflags)

    def pushed(self, n: int) -> int:
        """A word of the stack, in a handler."""
        return self.bare.read(self.bare.registers()["rsp"] - KERNEL + 8 * n)

    def skip(self, instruction: Instruction) -> None:
        """Makes a handler return to the instruction's end."""
        self.bare.word(self.bare.registers()["rsp"] - KERNEL + 16, self.address(instruction) + len(instruction.code))

    def _until(self, wanted: int) -> None:
        arrived = False

        def on_call(cpu, number, arguments):
            nonlocal arrived
            if number == wanted:
                arrived = True
            else:
                assert number in self.handlers, f"host call {number}, CR2 {cpu.registers()['cr2']:#x}"
                self.handlers[number]()
            cpu.answer(0)

        while not arrived:
            assert self.bare.board.run(on_call)


def same(a: Registers, b: Registers) -> bool:
    """Whether registers are equal. Only the flags that the instructions change are compared."""
    return replace(a, rflags=a.rflags & FLAGS) == replace(b, rflags=b.rflags & FLAGS)
