# SPDX-License-Identifier: GPL-2.0-only
"""What becomes of a SPARC V9 instruction that is probed (The SPARC Architecture Manual, version 9, appendices A and E).

Most instructions do the same wherever they are: the CPU executes a copy, and its next program counter is what it was. The
others use the program counter. They are emulated (`emu.ftrace.native.arch.sparc64_emulate`):

    call    01 disp30                           jmpl    10 rd 111000 rs1 i ..., if rd is not %g0
    Bicc    00 a cond 010 disp22                FBfcc   00 a cond 110 disp22
    BPcc    00 a cond 001 cc p disp19           FBPfcc  00 a cond 101 cc p disp19
    BPr     00 a 0 rcond 011 d16 p rs1 d16      rd %pc  10 rd 101000 00101 0 ...
"""

from __future__ import annotations

__all__ = ["emulated", "transfers_control", "why_not"]

# In bits 24 to 22, if the first two are 00
ILLTRAP, BPCC, BICC, BPR, SETHI, FBPFCC, FBFCC = 0, 1, 2, 3, 4, 5, 6
BRANCHES = frozenset({BPCC, BICC, BPR, FBPFCC, FBFCC})
_CBFCC = 7  # SPARC V8's, of a coprocessor

# In bits 24 to 19, if the first two are 10
RD, JMPL, RETURN, TCC, DONE_RETRY = 0x28, 0x38, 0x39, 0x3A, 0x3E
PC = 5  # in rs1 of rd


def _fields(word: int) -> tuple[int, int, int]:
    return word >> 30, word >> 22 & 7, word >> 19 & 0x3F


def why_not(word: int) -> str | None:
    """Why an instruction cannot be probed; None: it can."""
    op, op2, op3 = _fields(word)
    if op == 0 and op2 in (ILLTRAP, _CBFCC):
        return "it is no instruction"
    if op == 0 and ((op2 == BPR and (word >> 25 & 3 == 0 or word >> 28 & 1)) or (op2 == BPCC and word >> 20 & 1)):
        return "its condition is reserved"
    if op == 2 and op3 == TCC:
        return "it is a trap"
    if op == 2 and op3 == DONE_RETRY:
        return "it returns from a trap"
    return None


def emulated(word: int) -> bool:
    """Whether an instruction that can be probed uses the program counter, so that it has no copy."""
    op, op2, op3 = _fields(word)
    if op == 2:
        return (op3 == JMPL and word >> 25 & 0x1F != 0) or (op3 == RD and word >> 14 & 0x1F == PC)
    return op == 1 or (op == 0 and op2 in BRANCHES)


def transfers_control(word: int) -> bool:
    """Whether the instruction behind this one is in its delay slot."""
    op, op2, op3 = _fields(word)
    return op == 1 or (op == 0 and op2 in BRANCHES) or (op == 2 and op3 in (JMPL, RETURN))
