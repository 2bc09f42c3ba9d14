# SPDX-License-Identifier: GPL-2.0-only
"""Linux's ORC unwinder in plain Python, with the state that Linux keeps: what native code is compared with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from emu.linux.orc import Orc, Type

__all__ = ["PT_REGS", "Range", "rule_at", "unwind"]

PT_REGS = (
    "r15", "r14", "r13", "r12", "bp", "bx", "r11", "r10", "r9", "r8", "ax", "cx", "dx", "si", "di", "orig_ax",
    "ip", "cs", "flags", "sp", "ss",
)  # fmt: skip
REGISTERS = {2: "dx", 3: "di", 6: "r10", 7: "r13"}  # ORC_REG_ of those from which a stack pointer may come
PREV_SP, BP, SP, BP_INDIRECT, SP_INDIRECT = 1, 4, 5, 8, 9
WORDS = 1 << 64


class Range(NamedTuple):
    """Code with its rules."""

    start: int
    size: int
    orc: Orc


def rule_at(orc: Orc, address: int) -> np.void:
    """The last rule that begins at or before an address; before all of them, the first."""
    found: np.void = orc.entries[max(int(np.searchsorted(orc.addresses, np.uint64(address), "right")) - 1, 0)]
    return found


def unwind(code: Sequence[Range], word: Callable[[int], int], ip: int, registers: Mapping[str, int], most: int) -> list[int]:
    """The addresses of the calls under way. `word`: the word at an address; 0 if that is on no stack."""
    sp, bp = registers.get("sp", 0), registers.get("bp", 0)
    regs: Mapping[str, int] | None = registers
    full, previous, signal, is_program = True, None, True, False
    found = list[int]()
    while len(found) < most:
        here = [one for one in code if one.start <= ip < one.start + one.size]
        if not here:
            break
        found.append(ip)
        looked_up = ip if signal else ip - 1
        if is_program or looked_up < here[0].start:
            break
        rule = {name: int(rule_at(here[0].orc, looked_up)[name]) for name in here[0].orc.entries.dtype.names or ()}
        if rule["type"] not in (Type.CALL, Type.REGS, Type.REGS_PARTIAL, Type.GUESS):
            break
        known = regs if full else previous
        known = known if regs is not None else None
        base, offset = rule["sp_reg"], rule["sp_offset"]
        if base in REGISTERS:
            top = 0 if known is None else known.get(REGISTERS[base], 0)
        elif base in (BP, SP):
            top = (bp if base == BP else sp) + offset
        elif base == BP_INDIRECT:
            top = word((bp + offset) % WORDS)
        elif base == SP_INDIRECT:
            top = word(sp) + offset
        else:
            break
        top %= WORDS
        if top < WORDS // 2 or top % 8:
            break
        if rule["type"] == Type.GUESS and not sp <= top <= sp + 0x4000:
            break
        before, signal = sp, bool(rule["signal"])
        if rule["type"] in (Type.CALL, Type.GUESS):
            ip, sp, regs, previous = word((top - 8) % WORDS), top, None, None
        else:
            if rule["type"] == Type.REGS:
                start, previous, full = top, None, True
            else:
                start = top - 8 * PT_REGS.index("ip")
                previous, full = regs if full else previous, False
            regs = {name: word((start + 8 * n) % WORDS) for n, name in enumerate(PT_REGS)}
            ip, sp, is_program = regs["ip"], regs["sp"], regs["cs"] & 3 != 0
        known = regs if full else previous
        if rule["bp_reg"] == PREV_SP:
            bp = word((top + rule["bp_offset"]) % WORDS)
        elif rule["bp_reg"] == BP:
            bp = word((bp + rule["bp_offset"]) % WORDS)
        elif rule["bp_reg"] != 0:
            break
        elif regs is not None and known is not None:
            bp = known.get("bp", 0)
        if sp <= before and sp >> 14 == before >> 14:
            break
    return found
