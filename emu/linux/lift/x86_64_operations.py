# SPDX-License-Identifier: GPL-2.0-only
"""What the instructions of lifted x86-64 code do, by their mnemonics (manual volume 2), except for jumps, calls and returns."""

from __future__ import annotations

from collections.abc import Mapping

import capstone
import llvmlite.ir as ir

from emu.linux.lift import x86_64_arithmetic as arithmetic
from emu.linux.lift import x86_64_bits as bits
from emu.linux.lift import x86_64_moves as moves
from emu.linux.lift import x86_64_products as products
from emu.linux.lift.reasons import CannotLift
from emu.linux.lift.x86_64_state import Operation, State

__all__ = ["IGNORED", "OPERATIONS", "condition", "execute"]

IGNORED = frozenset((
    "nop", "endbr64", "lfence", "mfence", "sfence", "pause", "prefetcht0", "prefetchnta", "prefetchw", "stac", "clac", "cli",
    "sti", "int3",
))  # fmt: skip
"""Instructions that change nothing that lifted code sees. Interrupts do not come while it runs."""

_CONDITIONS: Mapping[str, tuple[str, bool]] = {
    "o": ("o", True), "no": ("o", False), "b": ("b", True), "ae": ("b", False), "e": ("e", True), "ne": ("e", False),
    "be": ("be", True), "a": ("be", False), "s": ("s", True), "ns": ("s", False), "p": ("p", True), "np": ("p", False),
    "l": ("l", True), "ge": ("l", False), "le": ("le", True), "g": ("le", False),
}  # fmt: skip


def condition(state: State, name: str) -> ir.Value:
    """Whether the condition of `jne`, `cmovne` and `setne` is true. `name`: "ne"."""
    if name not in _CONDITIONS:
        raise CannotLift(f"has an instruction with the condition {name}")
    base, wanted = _CONDITIONS[name]
    builder = state.builder
    if base in ("l", "le"):
        found = builder.xor(state.flag("sf"), state.flag("of"))
    else:
        found = state.flag({"o": "of", "b": "cf", "e": "zf", "be": "cf", "s": "sf", "p": "pf"}[base])
    if base in ("be", "le"):
        found = builder.or_(found, state.flag("zf"))
    return found if wanted else builder.not_(found)


def execute(state: State, instruction: capstone.CsInsn) -> None:
    """Emits what an instruction does.

    Raises:
        CannotLift: lifted code cannot do it.
    """
    name: str = instruction.mnemonic
    if name in IGNORED or name.startswith("nop"):
        return
    if name.startswith("cmov"):
        _move_if(state, instruction)
    elif name.startswith("set"):
        state.write(instruction, 0, state.builder.zext(condition(state, name[3:]), ir.IntType(8)))
    elif name in OPERATIONS:
        OPERATIONS[name](state, instruction)
    else:
        raise CannotLift(f"has the instruction {name}")


def _move_if(state: State, instruction: capstone.CsInsn) -> None:
    chosen = condition(state, instruction.mnemonic[4:])
    state.write(instruction, 0, state.builder.select(chosen, state.read(instruction, 1), state.read(instruction, 0)))


_REPEATS, _STRINGS = ("", "rep "), {"b": 1, "w": 2, "d": 4, "q": 8}

OPERATIONS: Mapping[str, Operation] = {
    "mov": moves.move, "movabs": moves.move, "lea": moves.load_address, "xchg": moves.exchange, "push": moves.push,
    "pop": moves.pop, "leave": moves.leave, "pushfq": moves.push_flags, "popfq": moves.pop_flags,
    "movzx": lambda state, one: moves.extend(state, one, signed=False),
    "movsx": lambda state, one: moves.extend(state, one, signed=True),
    "movsxd": lambda state, one: moves.extend(state, one, signed=True),
    "cbw": moves.widen("AL", "AX"), "cwde": moves.widen("AX", "EAX"), "cdqe": moves.widen("EAX", "RAX"),
    "cwd": moves.sign_of("AX", "DX", 2), "cdq": moves.sign_of("EAX", "EDX", 4), "cqo": moves.sign_of("RAX", "RDX", 8),
    "add": arithmetic.add, "adc": lambda state, one: arithmetic.add(state, one, with_carry=True),
    "sub": arithmetic.subtract, "sbb": lambda state, one: arithmetic.subtract(state, one, with_carry=True),
    "cmp": lambda state, one: arithmetic.subtract(state, one, stores=False),
    "inc": lambda state, one: arithmetic.step(state, one, 1), "dec": lambda state, one: arithmetic.step(state, one, -1),
    "neg": arithmetic.negate, "not": arithmetic.complement,
    "and": arithmetic.logic("and_"), "or": arithmetic.logic("or_"), "xor": arithmetic.logic("xor"),
    "test": arithmetic.logic("and_", stores=False),
    "shl": arithmetic.shift("shl"), "sal": arithmetic.shift("shl"), "shr": arithmetic.shift("lshr"),
    "sar": arithmetic.shift("ashr"), "rol": arithmetic.rotate(True), "ror": arithmetic.rotate(False),
    "shld": arithmetic.shift_pair(True), "shrd": arithmetic.shift_pair(False),
    "mul": products.multiply(False), "imul": products.multiply(True),
    "div": products.divide(False), "idiv": products.divide(True),
    "bt": bits.bit(""), "bts": bits.bit("set"), "btr": bits.bit("clear"), "btc": bits.bit("turn"),
    "bsf": bits.scan(False, False), "bsr": bits.scan(True, False),
    "tzcnt": bits.scan(False, True), "lzcnt": bits.scan(True, True), "popcnt": bits.count_ones, "bswap": bits.swap_bytes,
    **{f"{rep}stos{letter}": moves.store_string(size) for rep in _REPEATS for letter, size in _STRINGS.items()},
    **{f"{rep}movs{letter}": moves.move_string(size) for rep in _REPEATS for letter, size in _STRINGS.items()},
}  # fmt: skip
