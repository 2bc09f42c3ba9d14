# SPDX-License-Identifier: GPL-2.0-only
"""Programs for bare boards of RISC-V: three levels of page tables, and one trap vector."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from emu.port.ladder.arch import HANDLER, AssemblerTemplates, LitmusTest, Trap, riscv64_programs
from emu.port.ladder.board_memory import DATA, USER_CODE, BoardMemory

__all__ = ["TEMPLATES"]

_ROOT, _MIDDLE, _LEAVES, _VECTOR = 0x10000, 0x11000, 0x12000, 0x14000
_V, _R, _W, _X, _U, _G, _A, _D = (1 << n for n in range(8))  # bits of a page table entry (manual, volume II, 4.4)
_KERNEL_PAGE = _V | _R | _W | _X | _G | _A | _D
_NMI = 63
_INTERRUPT = 1 << 63  # in scause
_SPIE, _SPP, _FS_INITIAL = 0x20, 0x100, 0x2000  # sstatus


class _Templates(AssemblerTemplates):
    name: ClassVar[str] = "riscv64"
    registers: ClassVar[Sequence[str]] = tuple(f"s{n}" for n in range(1, 10))
    arguments: ClassVar[Sequence[str]] = ("a0", "a1")
    causes: ClassVar[Mapping[Trap, int]] = {
        Trap.UNDEFINED: 2, Trap.BREAKPOINT: 3, Trap.SYSTEM_CALL: 8, Trap.PRIVILEGED: 2,
        Trap.READ: 13, Trap.WRITE: 15, Trap.FETCH: 12, Trap.PROTECTION: 15,
    }  # fmt: skip
    nmi_cause: ClassVar[int | None] = _INTERRUPT | _NMI
    unused_vector: ClassVar[int | None] = 40
    probe_argument: ClassVar[str] = "%a0"
    held_argument: ClassVar[str] = "a0"
    not_litmus: ClassVar[Sequence[str]] = (
        "sraw a0, a1, a2", "addi a0, a1, 2048", "ld a0, (a9)", "fence rr, w", "c.li a0, 32", "lr.d a0, 8(a1)", "beq a0, a1, 0",
        "slli a0, a0, 64", "j 0x10001", "mv a0", "jalr a0, a1", "sd a0, 8 a1",
    )  # fmt: skip

    def prepare(self, board: BoardMemory) -> None:
        board.word(_ROOT + 256 * 8, _KERNEL_PAGE)  # the first GiB of RAM
        board.word(_ROOT, _entry(_MIDDLE, _V))
        board.word(_MIDDLE + (USER_CODE >> 21) * 8, _entry(_LEAVES, _V))
        board.board.reset_page_table = _ROOT
        # The board masks NMIs when it delivers one. No trap comes before `sret`, anyway.
        cause, place, address = (self._r(n) for n in (4, 5, 6))
        board.put(
            _VECTOR,
            f"csrr {cause}, scause; csrr {place}, sepc; csrr {address}, stval; li t0, {1 << _NMI:#x}; csrs sie, t0;"
            f"li t0, {board.virtual(HANDLER):#x}; jr t0",
        )
        self._vector = board.virtual(_VECTOR)
        self._leaves = board.virtual(_LEAVES)
        self._data = board.virtual(DATA)

    @property
    def peculiar(self) -> Mapping[str, tuple[str, int]]:
        floats = f"li t0, {_FS_INITIAL:#x}; csrs sstatus, t0; li t0, 1; fcvt.d.l ft0, t0; "
        word = f"li t0, {self._data:#x}; "
        return {
            "the flag of a division by zero": (f"{floats}fmv.d.x ft1, zero; fdiv.d ft2, ft0, ft1; frflags s1; ", 8),
            "no such flag after a division by one": (f"{floats}fdiv.d ft2, ft0, ft0; frflags s1; ", 0),
            "a store-conditional behind its load-reserved": (f"{word}li s1, 7; lr.d t1, (t0); sc.d s1, t1, (t0); ", 0),
            "a store-conditional without one": (f"{word}li s1, 7; sc.d s1, t0, (t0); ", 1),
            "instret, which counts instructions": ("rdinstret t0; nop; nop; rdinstret s1; sub s1, s1, t0; ", 3),
            "sie, whose bits are all 1 but that of the NMI": (
                f"li t0, {1 << _NMI:#x}; csrc sie, t0; csrr s1, sie; csrs sie, t0; ", (1 << _NMI) - 1),
            "sstatus.SDT, which masks interrupts": ("csrsi sstatus, 2; li t0, 1 << 24; csrs sstatus, t0; csrr s1, sstatus;"
                                                    "csrc sstatus, t0; addi t0, t0, 2; and s1, s1, t0; ", 1 << 24),
            "time, which is the cycle counter": ("rdtime t0; rdcycle t1; sltu s1, t0, t1; ", 1),
        }  # fmt: skip

    @property
    def floating_point(self) -> str:
        return (
            ".globl _start; _start: fmv.x.d t0, fs0; bnez t0, bad; li s1, 100; fcvt.d.l fa1, s1; fmv.d fs0, fa1; li t0, 1;"
            "fcvt.d.l fa0, t0; again: fadd.d fa1, fa1, fa0; li a7, 124; ecall; addi s1, s1, -1; bnez s1, again;"
            "li t0, 200; fcvt.d.l fa2, t0; feq.d t0, fa1, fa2; beqz t0, bad; ld t0, (sp); li t1, 2; bgeu t0, t1, right;"
            "ld a0, 8(sp); la a1, arguments; sd a0, (a1); sd a0, 8(a1); li a2, 0; li a7, 221; ecall;"
            "bad: li a0, 1; j out; right: li a0, 42; out: li a7, 94; ecall; .data; .balign 8; arguments: .dword 0, 0, 0"
        )

    @property
    def probed(self) -> Mapping[str, tuple[str, int]]:
        """What uses its own address: there is no copy."""
        over = "li s1, 1; .option norvc; probed: {}; j 75f; .option rvc; 75: nop; "
        short = "li s1, 1; la a1, 75f; probed: {}; nop; 75: nop; "
        long = ("auipc a0, 1", "jal ra, 75f", "jalr ra, 4(a1)", *(f"b{name} a0, a1, 75f" for name in ("eq", "ne", "lt", "ge")))
        compressed = ("c.j 75f", "c.jr a1", "c.jalr a1", "c.beqz a0, 75f", "c.bnez a0, 75f")
        return {f"`{one}`": (text.format(one), 1) for text, names in ((over, long), (short, compressed)) for one in names}

    @property
    def litmus(self) -> Mapping[str, LitmusTest]:
        add = ["amoadd.d a1, a0, (s0)", "{0}: lr.d a2, (s1)", "add a2, a2, a0", "sc.d a3, a2, (s1)", "bnez a3, {0}"]
        registers = "".join(f"{cpu}:s0 = x; {cpu}:s1 = y; {cpu}:a0 = 1; " for cpu in range(2))
        over = ["lr.d a2, (s0)", "sc.d a3, a2, (s0)", "li a2, 0", "li a3, 0", "nop"]
        return {
            "atomic additions": LitmusTest([[line.format(label) for line in add] for label in ("again", "retry")],
                f"x = 0; y = 0; {registers}", "x = 2 /\\ y = 2", "x=2; y=2;", 117),
            "reservations that are over": LitmusTest([over, ["sd a0, (s0)"]], "x = 0; 0:s0 = x; 1:s0 = x; 1:a0 = 1;", "x = 1",
                "x=1;", 22),
        }  # fmt: skip

    @property
    def programs(self) -> Mapping[str, str]:
        return riscv64_programs.PROGRAMS

    @property
    def probed_program(self) -> str:
        return riscv64_programs.probed_program()

    @property
    def not_probed(self) -> Mapping[str, str]:
        traps = ("ebreak", "c.ebreak", "ecall", "sret", "wfi", "csrrw zero, cycle, zero", ".2byte 0", ".4byte 0x1f")
        return {
            **{f"`{name}`": f"nop; probed: {name}; nop; " for name in traps},
            "a load-reserved": "probed: lr.d a0, (a1); sc.d a2, a0, (a1); ",
            "what is behind a load-reserved": "lr.d a0, (a1); probed: addi a0, a0, 1; sc.d a2, a0, (a1); ",
            "a store-conditional": "lr.d a0, (a1); probed: sc.d a2, a0, (a1); ",
        }

    @property
    def entries(self) -> Mapping[str, tuple[str, bool, bool]]:
        return {
            "a function that begins with its site": (".option norvc; site: nop; ret; ", True, True),
            "a function that begins with something else": (".option norvc; mv a0, a1; site: nop; ret; ", False, False),
        }

    def begin(self, stack: int) -> str:
        return f"li t0, {self._vector:#x}; csrw stvec, t0; li t0, {1 << _NMI:#x}; csrs sie, t0; li sp, {stack:#x}; "

    def _r(self, register: int) -> str:
        return self.registers[register]

    def load(self, register: int, value: int | str) -> str:
        return f"{'li' if isinstance(value, int) else 'la'} {self._r(register)}, {value}; "

    def load_word(self, register: int, base: int) -> str:
        return f"ld {self._r(register)}, ({self._r(base)}); "

    def store_word(self, base: int, register: int) -> str:
        return f"sd {self._r(register)}, ({self._r(base)}); "

    def add(self, register: int, value: int) -> str:
        return f"addi {self._r(register)}, {self._r(register)}, {value}; "

    def count_down(self, register: int, label: str) -> str:
        return f"addi {self._r(register)}, {self._r(register)}, -1; bnez {self._r(register)}, {label}; "

    def jump_if_zero(self, register: int, label: str) -> str:
        return f"beqz {self._r(register)}, {label}; "

    def jump(self, label: str) -> str:
        return f"j {label}; "

    def host_call(self, number: int) -> str:
        return f"li a7, {number}; ecall; "

    def argument(self, number: int, register: int) -> str:
        return f"mv {self.arguments[number]}, {self._r(register)}; "

    def result(self, register: int) -> str:
        return f"mv {self._r(register)}, a0; "

    def cycle_counter(self, register: int) -> str:
        return f"rdcycle {self._r(register)}; "

    def sleep(self) -> str:
        return "wfi; "

    def undefined(self) -> str:
        return "c.unimp; "

    def breakpoint(self) -> str:
        return "ebreak; "

    def resume_at(self, register: int) -> str:
        return f"csrw sepc, {self._r(register)}; "

    def return_from_trap(self) -> str:
        return "sret; "

    def interrupts(self, on: bool) -> str:
        return f"{'csrsi' if on else 'csrci'} sstatus, 2; "

    def without_vector(self) -> str:
        return "li t0, 0xffffffd000000000; csrw stvec, t0; "

    def interrupt_cause(self, vector: int) -> int:
        return _INTERRUPT | vector

    def map_page(self, virtual: int, physical: int, writable: bool) -> str:
        bits = _V | _R | _X | _U | _A | _D | _W * writable
        return self._write_entry(virtual, _entry(physical, bits))

    def unmap_page(self, virtual: int) -> str:
        return self._write_entry(virtual, 0)

    def _write_entry(self, virtual: int, entry: int) -> str:
        place = self._leaves + (virtual >> 12 & 511) * 8
        return f"li t0, {entry:#x}; li t1, {place:#x}; sd t0, (t1); li t1, {virtual:#x}; sfence.vma t1; "

    def enter_user(self, address: int, stack: int) -> str:
        return (
            f"li t0, {address:#x}; csrw sepc, t0; li t0, {_SPP:#x}; csrc sstatus, t0; li t0, {_SPIE:#x}; csrs sstatus, t0;"
            f"li sp, {stack:#x}; sret; "
        )

    def system_call(self) -> str:
        return "ecall; "

    def privileged(self) -> str:
        return "csrr t0, sstatus; "

    def atomic_add(self, base: int, register: int) -> str:
        return f"amoadd.d zero, {self._r(register)}, ({self._r(base)}); "

    def function(self, value: int) -> str:
        return f".option push; .option norvc; li {self._r(0)}, {value}; ret; .option pop; "

    def call(self, address: int) -> str:
        return f"li t0, {address:#x}; jalr t0; "

    def synchronise(self, base: int) -> str:
        return "fence.i; "


def _entry(physical: int, bits: int) -> int:
    """A page table entry."""
    return physical >> 12 << 10 | bits


TEMPLATES = _Templates()
