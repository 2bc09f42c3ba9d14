# SPDX-License-Identifier: GPL-2.0-only
"""Programs for bare boards of SPARC V9: a trap table, and TLB entries that the guest loads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from emu.port.ladder.arch import HANDLER, AssemblerTemplates, LitmusTest, Trap, sparc64_programs
from emu.port.ladder.board_memory import BoardMemory

__all__ = ["TEMPLATES"]

_TABLE, _COMMON, _ENTRY = 0x18000, 0x14000, 32
_BIAS, _FRAME = 2047, 192
_TRAPS, _TRAP_LEVEL_1 = 0x180, 0x200  # numbers; entries for TL above 0 follow those for TL 0
_LONG, _WINDOWS = {0x24, 0x64, 0x68, 0x6C}, range(0x80, 0x100)  # entries of 32 instructions
_SAVED = [*(f"l{n}" for n in range(8)), *(f"i{n}" for n in range(8))]
_OWN = {  # what the table does itself: clean_window, spill_0_normal, fill_0_normal
    0x24: "rdpr %cleanwin, %l0; inc %l0; wrpr %l0, 0, %cleanwin; retry",
    0x80: "; ".join(f"stx %{name}, [%sp+2047+{n * 8}]" for n, name in enumerate(_SAVED)) + "; saved; retry",
    0xC0: "; ".join(f"ldx [%sp+2047+{n * 8}], %{name}" for n, name in enumerate(_SAVED)) + "; restored; retry",
}
_KERNEL, _ON = 0x14, 2  # PSTATE: PEF and PRIV; IE
_SYSTEM_CALL, _HOST_CALL = 0x6D, 0x7E
_TAG, _DATA_IN, _DEMAP = 0x30, {"d": 0x5C, "i": 0x54}, {"d": 0x5F, "i": 0x57}  # an MMU register's address, ASIs
_TTE, _TTE_WRITABLE = 1 << 63 | 0x30, 2
_USER_STATE = 0x1200  # TSTATE: PSTATE = PEF, IE


class _Templates(AssemblerTemplates):
    name: ClassVar[str] = "sparc64"
    registers: ClassVar[Sequence[str]] = ("l0", "l1", "l2", "l3", "l4", "l5", "l6", "l7", "i0")
    arguments: ClassVar[Sequence[str]] = ("o0", "o1")
    causes: ClassVar[Mapping[Trap, int]] = {
        # the trap type
        Trap.UNDEFINED: 0x10, Trap.BREAKPOINT: 0x101, Trap.SYSTEM_CALL: 0x100 + _SYSTEM_CALL, Trap.PRIVILEGED: 0x11,
        Trap.READ: 0x68, Trap.WRITE: 0x68, Trap.FETCH: 0x64, Trap.PROTECTION: 0x6C,
    }  # fmt: skip
    nmi_cause: ClassVar[int | None] = 0x4F
    unused_vector: ClassVar[int | None] = 7
    probe_argument: ClassVar[str] = "%o0"
    held_argument: ClassVar[str] = "i0"
    not_litmus: ClassVar[Sequence[str]] = ("retry", "add %o0, %q1, %o2", "ldx [%o0], nowhere", "subcc %o1, 7, %g0")
    returns_42: ClassVar[str | None] = "retl; mov 42, %o0"
    repaired: ClassVar[Sequence[str]] = ("ldxa [%sp] 0xe2, %g1", "stxa %g1, [%sp] 0xe3", "ldstuba [%sp] 0xe2, %g1")

    def prepare(self, board: BoardMemory) -> None:
        common = board.put(
            _COMMON,
            f"rdpr %tpc, %l5; rdpr %tt, %l4; mov {_TAG}, %g1; cmp %l4, 0x64; be,a 70f; ldxa [%g1] 0x50, %l6;"
            "ldxa [%g1] 0x58, %l6; 70: srlx %l6, 13, %l6; sllx %l6, 13, %l6;"
            f"setx {board.virtual(HANDLER)}, %g1, %g2; jmp %g2; nop",
        )
        self._table = board.virtual(_TABLE)
        far = f"setx {board.virtual(_COMMON)}, %g1, %g2; jmp %g2; nop"
        behind = {n + k for n in _LONG for k in range(1, 4)}  # an entry of 32 instructions takes the places of four
        entries = []
        for level in (0, _TRAP_LEVEL_1):
            for number in range(_TRAPS):
                if number not in behind and not _WINDOWS.start < number < _WINDOWS.stop:
                    entries.append(f".org {(level + number) * _ENTRY}; {_OWN.get(number, far)}")
                elif number in _OWN:
                    entries.append(f".org {(level + number) * _ENTRY}; {_OWN[number]}")
        board.put(_TABLE, "; ".join(entries))
        assert common.code

    @property
    def peculiar(self) -> Mapping[str, tuple[str, int]]:
        # MOVr and BPr with a reserved condition (manual, A.36 and A.3): l0 = 7 if l1 ...; to 8 bytes before if l1 ...
        move = 2 << 30 | 16 << 25 | 0x2F << 19 | 17 << 14 | 1 << 13 | 7
        branch = 3 << 22 | 17 << 14 | 0x303FFE
        recursion = (
            "mov 12, %o0; call 71f; nop; ba,pt %xcc, 72f; nop; 71: save %sp, -192, %sp; brz,pn %i0, 73f; clr %l0; call 71b;"
            "sub %i0, 1, %o0; add %o0, %i0, %l0; 73: mov %l0, %i0; ret; restore %i0, 0, %o0; 72: mov %o0, %l0; "
        )
        return {
            "a move with a reserved condition": (f"mov 5, %l0; clr %l1; .word {move:#x}; ", 5),
            "a branch with a reserved condition": (f"mov 5, %l0; clr %l1; nop; .word {branch:#x}; nop; ", 5),
            "a word in the other byte order": ("mov 0x88, %g1; stx %g1, [%sp+2047]; add %sp, 2047, %g2; ldxa [%g2] 0x88, %l0; ",
                                               0x88 << 56),
            "calls that are deeper than there are windows": (recursion, 78),
        }  # fmt: skip

    @property
    def floating_point(self) -> str:
        convert = "stx %g1, [%sp+2047+176]; ldd [%sp+2047+176], {0}; fxtod {0}, {0}; "
        return (
            ".globl _start; _start: add %sp, 2047+128, %l7; ldx [%l7], %l6; ldx [%l7+8], %l5; sub %sp, 256, %sp;"
            "std %f28, [%sp+2047+176]; ldx [%sp+2047+176], %g1; brnz,pn %g1, bad; mov 100, %l0; mov 100, %g1; "
            + convert.format("%f2") + convert.format("%f28") + "mov 1, %g1; " + convert.format("%f0")
            + "again: faddd %f0, %f2, %f2; mov 221, %g1; ta 0x6d; deccc %l0; bne,pt %icc, again; nop; mov 200, %g1; "
            + convert.format("%f4")
            + "fcmpd %fcc0, %f2, %f4; nop; fbne,pn %fcc0, bad; nop; fbu,a bad; nop; fbe,a further; nop; ba,a bad;"
            "further: cmp %l6, 2; bgeu,pn %xcc, right; mov %l5, %o0; setx arguments, %g1, %o1; stx %l5, [%o1];"
            "stx %l5, [%o1+8]; clr %o2; mov 59, %g1; ta 0x6d; bad: mov 1, %o0; ba,pt %xcc, out; nop; right: mov 42, %o0;"
            "out: mov 188, %g1; ta 0x6d; nop; .data; .balign 8; arguments: .xword 0, 0, 0"
        )  # fmt: skip

    @property
    def litmus(self) -> Mapping[str, LitmusTest]:
        begin, store = "x = 0; 0:g1 = x; 1:g1 = x;", ["mov 1, %o0", "stx %o0, [%g1]"]
        codes = ["ldx [%g1], %o1", "cmp %o1, 7", "mov 0, %o1", "ldx [%g1], %o2", "cmp %o2, 7", "mov 0, %o2"]
        ends = [f"0:o1={first}; 0:o2={second};" for first, second in ((0, 0), (0, 1), (1, 1))]
        slots = {"": (" ".join(ends), 19), ",a": (" ".join(ends[:2]), 13)}
        return {
            "condition codes of which QEMU keeps the operands": LitmusTest([codes, store], begin, "x = 1", "x=1;", 32),
            **{f"a branch{annul} with a delay slot": LitmusTest(
                [[f"ba{annul} out", "ldx [%g1], %o1", "out: ldx [%g1], %o2"], store], begin, "0:o1 = 0 \\/ 0:o2 = 1", finals,
                states,
            ) for annul, (finals, states) in slots.items()},
        }  # fmt: skip

    @property
    def programs(self) -> Mapping[str, str]:
        return sparc64_programs.PROGRAMS

    @property
    def probed_program(self) -> str:
        return sparc64_programs.probed_program()

    @property
    def not_probed(self) -> Mapping[str, str]:
        reserved = {"BPr": 3 << 22 | 1 << 20, "BPcc": 1 << 22 | 1 << 20 | 8 << 25}
        traps = ("ta 0x70", "ta 1", "done", "retry", "illtrap 0", ".word 0x01c00000")
        return {
            **{f"`{name}`": f"nop; probed: {name}; nop; " for name in traps},
            **{f"{name} with a reserved condition": f"nop; probed: .word {word:#x}; nop; " for name, word in reserved.items()},
        }

    @property
    def probed(self) -> Mapping[str, tuple[str, int]]:
        """What uses its own address: there is no copy."""
        names = ("call 75f", "jmpl %g1 + 4, %o7", "rd %pc, %g1", "bne 75f", "ba,pt %xcc, 75f", "brz,pn %g1, 75f", "fbe 75f",
                 "fba,pt %fcc1, 75f")  # fmt: skip
        return {f"`{name}`": (f"mov 1, %l0; probed: {name}; nop; 75: nop; ", 1) for name in names}

    @property
    def entries(self) -> Mapping[str, tuple[str, bool, bool]]:
        site = "save %sp, -192, %sp; {} site: nop; {}; ret; restore; "
        return {
            "a function with a window": (site.format("", "nop"), True, True),
            "a function without a window": ("nop; site: nop; nop; retl; nop; ", False, False),
            "a function that overwrites an argument that it has read": (site.format("add %i1, 1, %i1;", "nop"), False, False),
            "a function that overwrites an argument that it does not read": (site.format("sethi 1, %i1;", "nop"), True, False),
            "a function that stores to its frame": (site.format("stx %i0, [%fp + 2039];", "stx %i1, [%sp + 2047]"), True, True),
            "a function that stores elsewhere": (site.format("", "stx %i0, [%i1]"), False, True),
            "a function that reads an argument first": (site.format("ldx [%i1], %l0;", "add %l0, 1, %i1"), False, False),
        }

    def begin(self, stack: int) -> str:
        return (
            f"setx {self._table}, %g1, %g2; wrpr %g2, 0, %tba; setx {stack - _BIAS - _FRAME}, %g1, %sp; wrpr %g0, 0, %pil;"
        )

    def _r(self, register: int) -> str:
        return f"%{self.registers[register]}"

    def load(self, register: int, value: int | str) -> str:
        return f"setx {value}, %g5, {self._r(register)}; "

    def load_word(self, register: int, base: int) -> str:
        return f"ldx [{self._r(base)}], {self._r(register)}; "

    def store_word(self, base: int, register: int) -> str:
        return f"stx {self._r(register)}, [{self._r(base)}]; "

    def add(self, register: int, value: int) -> str:
        return f"add {self._r(register)}, {value}, {self._r(register)}; "

    def count_down(self, register: int, label: str) -> str:
        return f"deccc {self._r(register)}; bne,pt %xcc, {label}; nop; "

    def jump_if_zero(self, register: int, label: str) -> str:
        return f"brz,pn {self._r(register)}, {label}; nop; "

    def jump(self, label: str) -> str:
        return f"ba,pt %xcc, {label}; nop; "

    def host_call(self, number: int) -> str:
        return f"mov {number}, %g1; ta {_HOST_CALL}; "

    def argument(self, number: int, register: int) -> str:
        return f"mov {self._r(register)}, %{self.arguments[number]}; "

    def result(self, register: int) -> str:
        return f"mov %o0, {self._r(register)}; "

    def cycle_counter(self, register: int) -> str:
        return f"rd %asr23, {self._r(register)}; "

    def undefined(self) -> str:
        return ".word 0; "

    def breakpoint(self) -> str:
        return "ta 1; "

    def resume_at(self, register: int) -> str:
        return f"wrpr {self._r(register)}, 0, %tpc; add {self._r(register)}, 4, %g1; wrpr %g1, 0, %tnpc; "

    def return_from_trap(self) -> str:
        return "retry; "

    def interrupts(self, on: bool) -> str:
        return f"wrpr %g0, {_KERNEL | _ON * on}, %pstate; "

    def without_vector(self) -> str:
        return "setx 0xfffffb0000000000, %g1, %g2; wrpr %g2, 0, %tba; "

    def interrupt_cause(self, vector: int) -> int:
        return 0x40 + vector

    def map_page(self, virtual: int, physical: int, writable: bool) -> str:
        tlbs = ((0x58, _DATA_IN["d"]), (0x50, _DATA_IN["i"]))
        load = "".join(f"stxa %g2, [%g3] {tag}; stxa %g1, [%g0] {asi}; " for tag, asi in tlbs)
        entry = _TTE | _TTE_WRITABLE * writable | physical
        return f"{self.unmap_page(virtual)}setx {entry}, %g3, %g1; setx {virtual}, %g3, %g2; mov {_TAG}, %g3; {load}"

    def unmap_page(self, virtual: int) -> str:
        drop = "".join(f"stxa %g0, [%g1] {asi}; " for asi in _DEMAP.values())
        return f"setx {virtual}, %g2, %g1; {drop}"

    def enter_user(self, address: int, stack: int) -> str:
        return (
            f"setx {stack - _BIAS - _FRAME}, %g1, %sp; wrpr %g0, 1, %tl; set {_USER_STATE}, %g1; wrpr %g1, 0, %tstate;"
            f"setx {address}, %g1, %g2; wrpr %g2, 0, %tpc; add %g2, 4, %g2; wrpr %g2, 0, %tnpc; retry; "
        )

    def system_call(self) -> str:
        return f"ta {_SYSTEM_CALL}; "

    def privileged(self) -> str:
        return "wrpr %g0, 0, %pil; "

    def atomic_add(self, base: int, register: int) -> str:
        return (
            f"70: ldx [{self._r(base)}], %g1; add %g1, {self._r(register)}, %g2; casx [{self._r(base)}], %g1, %g2;"
            "cmp %g1, %g2; bne,pn %xcc, 70b; nop; "
        )

    def function(self, value: int) -> str:
        return f"retl; mov {value}, %l0; "

    def call(self, address: int) -> str:
        return f"setx {address}, %g1, %g2; call %g2; nop; "

    def synchronise(self, base: int) -> str:
        return f"flush {self._r(base)}; "


TEMPLATES = _Templates()
