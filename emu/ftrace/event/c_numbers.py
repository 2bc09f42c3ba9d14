# SPDX-License-Identifier: GPL-2.0-only
"""Translates C's integer arithmetic to Python code, tracking the type and the range of each number.

Code that wraps a number is generated only where the number may not fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from emu.ftrace.event.print_fmt_calls import remainder

__all__ = [
    "INT", "NAMED_TYPES", "U64",
    "CType", "CTypes", "Number", "alike", "arithmetic", "computed", "constant", "fit", "promoted", "shift",
]  # fmt: skip


class CType(NamedTuple):
    """An integer type, or a pointer."""

    size: int
    signed: bool
    pointer: bool = False

    @property
    def low(self) -> int:
        return -(1 << 8 * self.size - 1) if self.signed else 0

    @property
    def high(self) -> int:
        return (1 << 8 * self.size - self.signed) - 1


INT, U64 = CType(4, True), CType(8, False)
_LONG = 0  # placeholder for the size of a long

_SIGNED = {
    1: "s8 __s8 int8_t",
    2: "s16 __s16 int16_t",
    4: "s32 __s32 int32_t pid_t key_t key_serial_t clockid_t rwf_t __kernel_rwf_t",
    8: "s64 __s64 int64_t loff_t ktime_t time64_t",
    _LONG: "ssize_t off_t",
}
_UNSIGNED = {
    1: "u8 __u8 uint8_t bool",
    2: "u16 __u16 uint16_t umode_t __le16 __be16",
    4: "u32 __u32 uint32_t __le32 __be32 uid_t gid_t dev_t gfp_t mode_t blk_opf_t tid_t isolate_mode_t errseq_t "
       "ext4_lblk_t",
    8: "u64 __u64 uint64_t __le64 __be64 sector_t dma_addr_t phys_addr_t resource_size_t ext4_fsblk_t",
    _LONG: "size_t ino_t uintptr_t pgoff_t",
}  # fmt: skip
NAMED_TYPES = {
    name: CType(size, signed)
    for signed, types in ((True, _SIGNED), (False, _UNSIGNED))
    for size, names in types.items()
    for name in names.split()
}
_KEYWORDS = {"unsigned", "signed", "char", "short", "int", "long", "_Bool"}


class CTypes:
    """The integer types of a machine with this size of `long` and pointers."""

    def __init__(self, long_size: int) -> None:
        self.long, self.unsigned_long = CType(long_size, True), CType(long_size, False)
        self.pointer = CType(long_size, False, pointer=True)

    def named(self, words: Sequence[str]) -> CType | None:
        """The type named by words, such as `unsigned long` or `const u32`; None if there is no such integer type."""
        names = [word for word in words if word not in ("const", "volatile")]
        if len(names) == 1 and names[0] in NAMED_TYPES:
            found = NAMED_TYPES[names[0]]
            return found if found.size else found._replace(size=self.long.size)
        if not names or not set(names) <= _KEYWORDS:
            return None
        return CType(self._size(names), not {"unsigned", "_Bool"} & set(names))

    def _size(self, names: Sequence[str]) -> int:
        if "long" in names:
            return 8 if names.count("long") > 1 else self.long.size
        return 1 if {"char", "_Bool"} & set(names) else 2 if "short" in names else 4

    def literal(self, digits: str, suffix: str) -> Number:
        """An integer constant, in the first of C's candidate types into which it fits."""
        value = int(digits, 8 if digits.isdecimal() and digits[0] == "0" else 0)
        unsigned, longs = "u" in suffix.lower(), suffix.lower().count("l")
        least = (INT.size, self.long.size, 8)[min(longs, 2)]
        for type_ in (INT, CType(4, False), self.long, self.unsigned_long, CType(8, True)):
            may_be = type_.size >= least and not (unsigned and type_.signed)
            if may_be and (type_.signed or unsigned or digits[0] == "0") and value <= type_.high:
                return constant(value, type_)
        return constant(value, U64)


@dataclass(frozen=True)
class Number:
    """`code` evaluates to a number from `low` to `high`, both within the type."""

    code: str
    type: CType
    low: int
    high: int

    @property
    def is_constant(self) -> bool:
        return self.low == self.high


def constant(value: int, type_: CType) -> Number:
    """A number, wrapped to a type."""
    value = (value - type_.low) % (1 << 8 * type_.size) + type_.low
    return Number(str(value) if value >= 0 else f"({value})", type_, value, value)


def fit(number: Number, type_: CType) -> Number:
    """The number converted to a type."""
    if type_.low <= number.low and number.high <= type_.high:
        return replace(number, type=type_)
    if number.is_constant:
        return constant(number.low, type_)
    mask, half = (1 << 8 * type_.size) - 1, -type_.low
    code = f"(({number.code} + {half} & {mask}) - {half})" if type_.signed else f"({number.code} & {mask})"
    return Number(code, type_, type_.low, type_.high)


def computed(code: str, type_: CType, low: int, high: int) -> Number:
    """The result of an operation, which may overflow its type."""
    return fit(Number(code, type_, low, high), type_)


def promoted(number: Number) -> Number:
    """C's integer promotion: arithmetic uses at least an int."""
    return fit(number, INT) if number.type.size < 4 else number


def alike(one: Number, other: Number) -> tuple[Number, Number]:
    """Both numbers, converted to their common type."""
    one, other = promoted(one), promoted(other)
    size = max(one.type.size, other.type.size)
    type_ = CType(size, all(number.type.signed for number in (one, other) if number.type.size == size))
    return fit(one, type_), fit(other, type_)


def arithmetic(operator: str, one: Number, other: Number) -> Number:
    """One of `+ - * / % & | ^`."""
    one, other = alike(one, other)
    type_, code = one.type, f"({one.code} {operator} {other.code})"
    natural = one.low >= 0 and other.low >= 0
    any_value = Number(code, type_, type_.low, type_.high)
    match operator:
        case "+":
            return computed(code, type_, one.low + other.low, one.high + other.high)
        case "-":
            return computed(code, type_, one.low - other.high, one.high - other.low)
        case "*":
            corners = [a * b for a in (one.low, one.high) for b in (other.low, other.high)]
            return computed(code, type_, min(corners), max(corners))
        case "/":
            if natural and other.low > 0:
                return Number(f"({one.code} // {other.code})", type_, one.low // other.high, one.high // other.low)
            most = max(-one.low, one.high)
            return computed(f"quotient({one.code}, {other.code})", type_, -most, most)
        case "%":
            if one.is_constant and other.is_constant:
                return constant(remainder(one.low, other.low), type_)
            if natural and other.low > 0:
                return Number(code, type_, 0, min(one.high, other.high - 1))
            return replace(any_value, code=f"remainder({one.code}, {other.code})")
        case "&":
            if one.is_constant and other.is_constant:
                return constant(one.low & other.low, type_)
            highest = [number.high for number in (one, other) if number.low >= 0]
            return Number(code, type_, 0, min(highest)) if highest else any_value
        case "|" | "^":
            if one.is_constant and other.is_constant:
                return constant(one.low | other.low if operator == "|" else one.low ^ other.low, type_)
            most = (1 << max(one.high, other.high).bit_length()) - 1
            return Number(code, type_, 0, most) if natural else any_value
    raise ValueError(f"the operator {operator}")


def shift(operator: str, number: Number, by: Number) -> Number:
    """`<<` or `>>`. Like a processor, it uses only the low bits of the count."""
    number = promoted(number)
    type_, mask = number.type, 8 * number.type.size - 1
    if by.is_constant:
        count = by.low & mask
        code = f"({number.code} {operator} {count})"
        if operator == "<<":
            return computed(code, type_, number.low << count, number.high << count)
        return computed(code, type_, number.low >> count, number.high >> count)
    code = f"({number.code} {operator} ({by.code} & {mask}))"
    if operator == "<<":
        return computed(code, type_, min(number.low << mask, 0), max(number.high << mask, 0))
    return Number(code, type_, min(number.low, 0), max(number.high, 0))
