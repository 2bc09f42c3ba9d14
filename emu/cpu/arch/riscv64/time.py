# SPDX-License-Identifier: GPL-2.0-only
"""What RISC-V instructions cost in the static model."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["CYCLES"]

_ATOMIC = [
    f"{name}.{size}{order}"
    for name in ("amoswap", "amoadd", "amoxor", "amoand", "amoor", "amomin", "amomax", "amominu", "amomaxu", "lr", "sc")
    for size in "wd" for order in ("", ".aq", ".rl", ".aqrl")
]  # fmt: skip

# Cycles of instructions that cost more than one (SiFive U74-MC Core Complex Manual, 3.4).
CYCLES: Mapping[str, int] = {
    **dict.fromkeys(("mul", "mulw", "mulh", "mulhu", "mulhsu"), 3),
    **dict.fromkeys(("div", "divu", "rem", "remu"), 40), **dict.fromkeys(("divw", "divuw", "remw", "remuw"), 24),
    **dict.fromkeys(_ATOMIC, 10),
    **dict.fromkeys(("csrrw", "csrrs", "csrrc", "csrrwi", "csrrsi", "csrrci", "csrr", "csrw", "csrs", "csrc", "csrwi", "csrsi",
                     "csrci", "rdcycle", "rdtime", "rdinstret"), 5),
    "fence": 10, "fence.i": 20, "sfence.vma": 50, "ecall": 20, "ebreak": 20, "c.ebreak": 20, "sret": 20, "wfi": 10,
}  # fmt: skip
