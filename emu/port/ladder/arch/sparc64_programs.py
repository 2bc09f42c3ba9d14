# SPDX-License-Identifier: GPL-2.0-only
"""Programs for SPARC V9's guest: what they do there is peculiar to the architecture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from emu.port.ladder.assembler import labelled

__all__ = ["PROGRAMS", "probed_program"]

_BAD, RIGHT = 1, 42
_EXIT = 188
_END = (
    f"bad: mov {_BAD}, %o0; ba,pt %xcc, out; nop; right: mov {RIGHT}, %o0; out: mov {_EXIT}, %g1; ta 0x6d; nop; last: nop;"
)
_START = ".globl _start; _start: sub %sp, 512, %sp; "

_CONTEXT = f"""
{_START} setx count, %g1, %l2; mov 5, %l1; setx context, %g1, %o0; mov 3, %g2; ta 0x6e
ldx [%l2], %l3; inc %l3; stx %l3, [%l2]; cmp %l3, 2; be,pn %xcc, back; nop; mov 7, %l1; mov 9, %g2
setx context, %g1, %o0; mov 1, %o1; ta 0x6f; ba,pt %xcc, bad; nop
back: cmp %l1, 5; bne,pn %xcc, bad; cmp %g2, 3; bne,pn %xcc, bad; nop; ba,pt %xcc, right; nop
{_END} .bss; .balign 16; count: .skip 16; context: .skip 1024
"""
_FLUSHED = f"""
{_START} mov 0x77, %l4; save %sp, -192, %sp; ta 3; ldx [%fp + 2047 + 32], %o0; restore %o0, 0, %o0; cmp %o0, 0x77
be,pt %xcc, right; nop; {_END}
"""
# struct pollfd: the file, the events, and what poll() returns; POLLOUT is 4.
_POLL = f"""
{_START} setx polled, %g1, %l0; mov 1, %g1; sth %g1, [%l0 + 2]; mov 1, %g1; st %g1, [%l0]; mov 4, %g1; sth %g1, [%l0 + 4]
mov %l0, %o0; mov 1, %o1; mov 100, %o2; mov 153, %g1; ta 0x6d; cmp %o0, 1; bne,pn %xcc, bad; nop
lduh [%l0 + 6], %o0; cmp %o0, 4; be,pt %xcc, right; nop; {_END} .bss; .balign 8; polled: .skip 8
"""
# A handler that clears a register of floating point and one of the interrupted window's outs.
_SIGNAL = f"""
{_START} setx number, %g1, %l0; ldd [%l0], %f2; setx act, %g1, %o1; setx handler, %g1, %g2; stx %g2, [%o1]; clr %o2
setx restorer - 8, %g1, %o3; mov 8, %o4; mov 30, %o0; mov 102, %g1; ta 0x6d; bcs,pn %xcc, bad; nop
mov 20, %g1; ta 0x6d; mov 30, %o1; mov 37, %g1; mov 0x55, %o5; mov 0x66, %g4; mov 0x77, %l5; ta 0x6d
cmp %o5, 0x55; bne,pn %xcc, bad; cmp %g4, 0x66; bne,pn %xcc, bad; cmp %l5, 0x77; bne,pn %xcc, bad; nop
setx flag, %g1, %o0; ldx [%o0], %o0; cmp %o0, 30; bne,pn %xcc, bad; nop
std %f2, [%l0 + 8]; ldx [%l0], %o0; ldx [%l0 + 8], %o1; cmp %o0, %o1; be,pt %xcc, right; nop
handler: save %sp, -192, %sp; fsubd %f2, %f2, %f2; mov 0, %g4; setx flag, %g1, %o0; stx %i0, [%o0]; mov 0, %i5; ret; restore
restorer: mov 101, %g1; ta 0x6d; nop
{_END} .data; .balign 8; number: .xword 0x4008000000000000, 0; flag: .xword 0; act: .skip 64
"""
# The faults of stores to three pages that nobody has used: struct rusage has their number at 64.
_FAULTS = f"""
{_START} setx usage, %g1, %l0; setx pages, %g1, %l1; setx 8192, %g1, %l4; clr %o0; mov %l0, %o1; mov 117, %g1; ta 0x6d
ldx [%l0 + 64], %l2; stx %l0, [%l1]; add %l1, %l4, %l1; ldstub [%l1], %g2; add %l1, %l4, %l1; casx [%l1], %g0, %g2
clr %o0; mov %l0, %o1; mov 117, %g1; ta 0x6d; ldx [%l0 + 64], %l3; sub %l3, %l2, %l3; cmp %l3, 3; be,pt %xcc, right; nop
{_END} .data; .balign 8; usage: .skip 256; .xword 1; .bss; .balign 8192; pages: .skip 3 * 8192
"""
# A handler of SIGILL ends the program.
_FOREIGN = f"""
{_START} setx act, %g1, %o1; setx right, %g1, %g2; stx %g2, [%o1]; clr %o2; setx right, %g1, %o3; mov 8, %o4; mov 4, %o0
mov 102, %g1; ta 0x6d; bcs,pn %xcc, bad; nop; ta 0x73; nop; {_END} .data; .balign 8; act: .skip 64
"""

PROGRAMS: Mapping[str, str] = MappingProxyType({
    "contexts that it saves and goes back to (ta 0x6e, 0x6f)": _CONTEXT,
    "flushed windows (ta 3)": _FLUSHED,
    "events of poll()": _POLL,
    "a signal handler that changes registers": _SIGNAL,
    "the number of faults of its stores": _FAULTS,
    "a breakpoint of uprobes that nobody has placed": _FOREIGN,
})  # fmt: skip
"""By what they are about; see AssemblerTemplates.programs."""


def _integer(left: int, right: int) -> dict[str, bool]:
    """The conditions of a comparison that does not overflow."""
    below = left % 2**64 < right % 2**64
    return {
        "ba": True, "bn": False, "be": left == right, "bne": left != right, "bg": left > right, "ble": left <= right,
        "bge": left >= right, "bl": left < right, "bgu": not below and left != right, "bleu": below or left == right,
        "bcc": not below, "bcs": below, "bpos": left >= right, "bneg": left < right, "bvc": True, "bvs": False,
    }  # fmt: skip


_FLOATING = {
    "fba": "elgu", "fbn": "", "fbe": "e", "fbne": "lgu", "fblg": "lg", "fbul": "ul", "fbl": "l", "fbug": "ug", "fbg": "g",
    "fbu": "u", "fbue": "ue", "fbge": "ge", "fbuge": "uge", "fble": "le", "fbule": "ule", "fbo": "elg",
}  # fmt: skip
"""The relations for which a branch is taken: equal, less, greater, unordered."""


def _tests() -> Iterator[tuple[str, str, bool]]:
    """What sets the condition, the branch without its target, and whether it is taken."""
    for left, right in ((1, 2), (2, 1), (-1, 1), (7, 7)):
        for n, (name, taken) in enumerate(_integer(left, right).items()):
            yield f"mov {left}, %l1; cmp %l1, {right}; ", f"{name},pt %xcc," if (n + left) % 2 else name, taken
    for relation, (first, second) in {"e": (0, 0), "l": (0, 4), "g": (4, 0), "u": (4, 8)}.items():
        for n, (name, relations) in enumerate(_FLOATING.items()):
            codes, branch = (0, name) if (n + second) % 3 else (2, f"{name},pn %fcc2,")
            yield f"fcmpd %fcc{codes}, %f{first}, %f{second}; nop; ", branch, relation in relations
    for value in (-1, 0, 1):
        holds = {
            "brz": value == 0, "brlez": value <= 0, "brlz": value < 0, "brnz": value != 0, "brgz": value > 0, "brgez": value >= 0,
        }  # fmt: skip
        for name, taken in holds.items():
            yield f"mov {value}, %l2; ", f"{name},pt %l2,", taken


_CALLS = """
call 72f; add %l0, 1, %l0; ba,pt %xcc, 74f; nop; 72: retl; add %l0, 2, %l0
74: rd %pc, %l4; rd %pc, %l5; sub %l5, %l4, %l5; add %l0, %l5, %l0; setx 75f, %g1, %l6; jmpl %l6, %l7; add %l0, 8, %l0
~illtrap 0; 75: sub %l6, %l7, %l6; add %l0, %l6, %l0; save %sp, -192, %sp; mov 3, %l6; restore %l6, %i0, %l5; add %l0, %l5, %l0
"""


def probed_program() -> str:
    """See AssemblerTemplates.probed_program. The registers of its window, which branches read, are not on its stack yet."""
    text = []
    for n, (before, branch, taken) in enumerate(_tests()):
        annulled = n % 3 == 0
        name, _, rest = branch.partition(",") if "," in branch else branch.partition(" ")
        slot = not annulled or (taken and name not in ("ba", "fba"))
        text.append(f"{before}{name}{',a' * annulled}{',' * ('p' in rest)}{rest} 71f;"
                    f"{'~' * (not slot)}add %l0, {n % 61 + 1}, %l0; {'~' * taken}add %l0, 64, %l0;"
                    "71: add %l0, %l0, %l3; add %l0, %l3, %l0; ")  # fmt: skip
    load = "setx numbers, %g1, %l1; ldd [%l1], %f0; ldd [%l1 + 8], %f4; ldd [%l1 + 16], %f8; clr %l0; "
    fold = "".join(f"srlx %l0, {shift}, %l1; xor %l0, %l1, %l0; " for shift in (32, 16, 8))
    body = labelled(f"save %sp, -192, %sp; {load}{''.join(text)}{_CALLS}{fold}and %l0, 127, %o0; mov {_EXIT}, %g1", "probed")
    return (
        f".globl _start; _start: ldx [%sp + 2047 + 128], %g1; cmp %g1, 1; bne,pn %xcc, own; nop; {body}; ta 0x6d; nop;"
        "own: ta 1; nop; refused1: ta 0x73; "
        ".data; .balign 8; numbers: .xword 0x3ff0000000000000, 0x4000000000000000, 0x7ff8000000000000"
    )
