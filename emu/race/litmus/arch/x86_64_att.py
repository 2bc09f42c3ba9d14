# SPDX-License-Identifier: GPL-2.0-only
"""Instructions of x86-64 in AT&T's syntax, which herd7 has, and in Intel's."""

from __future__ import annotations

import re

__all__ = ["from_att", "is_att", "to_att"]

_SUFFIXES = {"b": "byte", "w": "word", "l": "dword", "q": "qword"}
_SIZED = frozenset(
    ("mov", "add", "sub", "and", "or", "xor", "cmp", "test", "inc", "dec", "neg", "not", "xchg", "cmpxchg", "xadd", "push", "pop")
)
_ATT = re.compile(r"[%$]|\([\w,% ]+\)")
_LINE = re.compile(r"((?:lock\b[\s;]*)?[A-Za-z][\w.]*)\s*(.*)", re.IGNORECASE)
_MEMORY_ATT = re.compile(r"(?P<offset>-?\w*)\((?P<base>%?\w*)(?:,(?P<index>%?\w+)(?:,(?P<scale>[1248]))?)?\)")
_MEMORY_INTEL = re.compile(r"(?:(?P<size>byte|word|dword|qword)\s+ptr\s*)?\[(?P<inside>[^\]]+)\]", re.IGNORECASE)
_REGISTER = re.compile(r"(?:[re]?(?:[abcd]x|[sd]i|[sb]p)|[abcd][lh]|(?:[sd]i|[sb]p)l|r(?:8|9|1[0-5])[dwb]?)", re.IGNORECASE)
_NUMBER = re.compile(r"-?(?:0x[0-9a-f]+|\d+)", re.IGNORECASE)


def is_att(line: str) -> bool:
    """Whether an instruction is in AT&T's syntax: with % or $, or parentheses around an address."""
    return bool(_ATT.search(line))


def _operands(text: str) -> list[str]:
    return [part.strip() for part in re.split(r",(?![^(\[]*[)\]])", text) if part.strip()]


def from_att(line: str) -> str:
    """The instruction in Intel's syntax. What is not understood stays as it is, and does not assemble."""
    found = _LINE.fullmatch(line.strip())
    if found is None:
        return line
    name, operands = found[1].lower().replace(";", " "), _operands(found[2])
    prefix, _, name = name.rpartition(" ")
    size = ""
    if name[-1:] in _SUFFIXES and name[:-1] in _SIZED:
        name, size = name[:-1], _SUFFIXES[name[-1]]
    parts = [_operand_from_att(operand, size) for operand in operands]
    return " ".join(f"{prefix} {name} {', '.join(reversed(parts))}".split())


def _operand_from_att(text: str, size: str) -> str:
    if found := _MEMORY_ATT.fullmatch(text.replace(" ", "")):
        terms = [found["base"].removeprefix("%")] if found["base"] else []
        if found["index"]:
            terms.append(found["index"].removeprefix("%") + (f"*{found['scale']}" if found["scale"] else ""))
        offset = found["offset"]
        if offset and offset != "0":
            terms.append(f"-{offset[1:]}" if offset.startswith("-") else offset)
        inside = " + ".join(terms).replace("+ -", "- ")
        return f"{size} ptr [{inside}]" if size else f"[{inside}]"
    return text.removeprefix("%").removeprefix("$")


def to_att(line: str) -> str:
    """An instruction in Intel's syntax, as herd7 reads it.

    Raises:
        ValueError: its memory operand is more than a name, or a register and a number.
    """
    found = _LINE.fullmatch(line.strip())
    assert found
    name, operands = found[1].lower(), _operands(found[2])
    bits = next((size for operand in operands if (size := _size(operand))), "")
    parts = [_operand_to_att(operand) for operand in operands]
    suffix = bits if name.split()[-1] in _SIZED and any(part.endswith(")") for part in parts) else ""
    return f"{name}{suffix} {','.join(reversed(parts))}".strip()


def _size(operand: str) -> str:
    """The suffix that an operand gives the instruction."""
    if found := _MEMORY_INTEL.fullmatch(operand):
        return next((suffix for suffix, size in _SUFFIXES.items() if size == (found["size"] or "").lower()), "")
    register = operand.lower()
    if not _REGISTER.fullmatch(register):
        return ""
    if register[0] == "r" and not register.endswith(("d", "w", "b")):
        return "q"
    return "l" if register[0] == "e" or register.endswith("d") else "b" if register.endswith(("l", "h", "b")) else "w"


def _operand_to_att(text: str) -> str:
    if found := _MEMORY_INTEL.fullmatch(text):
        inside = found["inside"].replace(" ", "")
        terms = re.fullmatch(r"(\w+)(?:([+-])(0x[0-9a-f]+|\d+))?", inside)
        if terms is None or (terms[2] and not _REGISTER.fullmatch(terms[1])):
            raise ValueError(f"'{text}' is more than herd7 reads: a name, or a register and a number")
        offset = f"{'-' if terms[2] == '-' else ''}{terms[3]}" if terms[3] else ""
        return f"{offset}({'%' if _REGISTER.fullmatch(terms[1]) else ''}{terms[1]})"
    if _REGISTER.fullmatch(text):
        return f"%{text.lower()}"
    return f"${text}" if _NUMBER.fullmatch(text) else text
