# SPDX-License-Identifier: GPL-2.0-only
"""Instructions in all the forms in which compilers use them, by mnemonic; and the flags that the manual leaves undefined."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

CONDITIONS = ("o", "no", "b", "ae", "e", "ne", "be", "a", "s", "ns", "p", "np", "l", "ge", "le", "g")
WIDTHS = (1, 2, 4, 8)
_REGISTERS = {1: ("al", "sil"), 2: ("ax", "r9w"), 4: ("eax", "r9d"), 8: ("rax", "r9")}
_POINTER = {1: "byte", 2: "word", 4: "dword", 8: "qword"}
_ALL = {"cf", "zf", "sf", "of", "pf"}

# The bases of memory operands, which get addresses; nothing else uses them.
PLACE, INDEXED, INDEX = "r12", "r13", "rbx"


def memory(width: int, way: int = 0) -> str:
    where = (f"[{PLACE}]", f"[{INDEXED} + {INDEX}*4 - 8]", f"[{PLACE} + 0x104]")[way % 3]
    return f"{_POINTER[width]} ptr {where}"


def immediates(width: int) -> tuple[int, ...]:
    return (5, -1) if width == 1 else (5, -3, 0x1234 if width == 2 else 0x12345678, -0x5678)


def _two_operands(name: str, with_immediates: bool = True) -> Iterator[str]:
    for width in WIDTHS:
        first, second = _REGISTERS[width]
        yield f"{name} {first}, {second}"
        yield f"{name} {second}, {first}"
        yield f"{name} {first}, {first}"
        yield f"{name} {memory(width, width)}, {first}"
        if name != "test":
            yield f"{name} {second}, {memory(width, 1)}"
        for number in immediates(width) if with_immediates else ():
            yield f"{name} {second}, {number}"
            yield f"{name} {first}, {number}"
        if with_immediates:
            yield f"{name} {memory(width, 2)}, {immediates(width)[-1]}"
            yield f"{name} {memory(width)}, 7"
    yield f"{name} ah, dl"
    yield f"{name} cl, dh"
    yield f"{name} ch, ah"


def _one_operand(name: str, widths: tuple[int, ...] = WIDTHS) -> Iterator[str]:
    for width in widths:
        yield from (f"{name} {register}" for register in _REGISTERS[width])
        yield f"{name} {memory(width, width)}"
    if 1 in widths:
        yield f"{name} dh"


def _shifts(name: str) -> Iterator[str]:
    for width in WIDTHS:
        for operand in (_REGISTERS[width][0], _REGISTERS[width][1], memory(width, 1)):
            yield from (f"{name} {operand}, {count}" for count in ("1", "cl", 3, 8 * width - 1))
    yield f"{name} rax, 33"
    yield f"{name} dh, 2"


def _pairs(name: str, widths: tuple[int, ...] = (2, 4, 8)) -> Iterator[str]:
    for width in widths:
        first, second = _REGISTERS[width]
        yield f"{name} {second}, {first}"
        yield f"{name} {first}, {memory(width, width)}"


def _extensions(name: str) -> Iterator[str]:
    for to, source in ((2, 1), (4, 1), (8, 1), (4, 2), (8, 2)):
        yield f"{name} {_REGISTERS[to][0]}, {_REGISTERS[source][1]}"
        yield f"{name} {_REGISTERS[to][1]}, {memory(source, to)}"
    yield f"{name} ecx, ah"


def _bits(name: str) -> Iterator[str]:
    for width in (2, 4, 8):
        first, second = _REGISTERS[width]
        yield f"{name} {first}, {second}"
        yield f"{name} {first}, {8 * width - 3}"
        yield f"{name} {memory(width, width)}, 3"
        if name == "bt":
            yield f"{name} {memory(width)}, {'cx' if width == 2 else 'ecx' if width == 4 else 'rcx'}"


def _shift_pairs(name: str) -> Iterator[str]:
    for width in (2, 4, 8):
        first, second = _REGISTERS[width]
        for count in (1, 7, 15, "cl"):
            yield f"{name} {first}, {second}, {count}"
            yield f"{name} {memory(width)}, {first}, {count}"


def _multiplications() -> Iterator[str]:
    yield from _one_operand("imul")
    yield from _pairs("imul")
    for width in (2, 4, 8):
        for number in immediates(width):
            yield f"imul {_REGISTERS[width][0]}, {_REGISTERS[width][1]}, {number}"
        yield f"imul {_REGISTERS[width][1]}, {memory(width, 2)}, 24"


def _moves() -> Iterator[str]:
    yield from _two_operands("mov")
    yield "mov rax, gs:[0x100]"
    yield "mov eax, dword ptr gs:[rcx]"
    yield "mov rax, qword ptr [rip + 0x2000]"
    yield "movzx ecx, byte ptr [rip + 0x2000]"


def _addresses() -> Iterator[str]:
    for to in ("rax", "eax", "ax"):
        for where in (
            "rcx", "rcx + rdx*8 + 0x40", "rcx - 8", "rdx*4 + 0x7fffffff", "rip + 0x10", "rcx + rcx", "r13 + r12 - 0x7fffffff",
        ):  # fmt: skip
            yield f"lea {to}, [{where}]"


def _strings(name: str) -> Iterator[str]:
    for letter in "bwdq":
        yield f"{name}{letter}"
        yield f"rep {name}{letter}"


FORMS: Mapping[str, tuple[str, ...]] = {
    **{name: tuple(_two_operands(name)) for name in ("add", "adc", "sub", "sbb", "cmp", "and", "or", "xor", "test")},
    **{name: tuple(_one_operand(name)) for name in ("inc", "dec", "neg", "not", "mul")},
    **{name: tuple(_one_operand(name, (2, 4, 8))) for name in ("div", "idiv")},
    **{name: tuple(_shifts(name)) for name in ("shl", "sal", "shr", "sar", "rol", "ror")},
    **{name: tuple(_shift_pairs(name)) for name in ("shld", "shrd")},
    **{name: tuple(_pairs(name)) for name in ("bsf", "bsr", "tzcnt", "lzcnt", "popcnt")},
    **{name: tuple(_bits(name)) for name in ("bt", "bts", "btr", "btc")},
    **{f"cmov{name}": tuple(_pairs(f"cmov{name}")) for name in CONDITIONS},
    **{f"set{name}": (f"set{name} cl", f"set{name} ah", f"set{name} r9b", f"set{name} {memory(1, 1)}") for name in CONDITIONS},
    "mov": tuple(_moves()), "movabs": ("movabs rax, 0x123456789abcdef0", "movabs r9, 0xfedcba9876543210"),
    "movzx": tuple(_extensions("movzx")), "movsx": tuple(_extensions("movsx")),
    "movsxd": ("movsxd rax, ecx", f"movsxd r9, {memory(4)}"),
    "lea": tuple(_addresses()), "imul": tuple(_multiplications()),
    "xchg": ("xchg rax, rcx", "xchg eax, r9d", "xchg r9w, cx", "xchg al, dl", "xchg ah, al", "xchg rdx, rdx"),
    "bswap": ("bswap eax", "bswap r9", "bswap r9d", "bswap rax"),
    **{name: (name,) for name in ("cbw", "cwde", "cdqe", "cwd", "cdq", "cqo", "leave")},
    "push": ("push rax", "push r9", "push 5", "push -5", "push 0x12345678", "push rsp", f"push {memory(8)}"),
    "pop": ("pop rax", "pop r9", "pop rsp", f"pop {memory(8)}"),
    "stos": tuple(_strings("stos")), "movs": tuple(_strings("movs")),
}  # fmt: skip

IGNORED = (
    "nop", "nop dword ptr [rax + rax]", "lfence", "mfence", "sfence", "pause", "prefetcht0 [rcx]", "prefetchnta [rcx]",
    "prefetchw [rcx]",
)  # fmt: skip


def width_of(text: str) -> int:
    """Of an instruction's first operand."""
    first = re.split(r"[ ,]", text.split(None, 1)[1])[0]
    widths = {name: width for width, name in _POINTER.items()}
    if first in widths:
        return widths[first]
    if re.fullmatch(r"(.[lh]|..l|r\d+b)", first):
        return 1
    if re.fullmatch(r"(.[xip]|r\d+w)", first):
        return 2
    return 4 if re.fullmatch(r"(e..|r\d+d)", first) else 8


def undefined(text: str, cl: int, source: int | None = None) -> set[str]:
    """The flags that the manual (volume 2) leaves undefined. `cl`: the register with that name."""
    name = text.split()[0]
    width = 8 * width_of(text) if " " in text else 64
    if name in ("shl", "sal", "shr", "sar", "rol", "ror", "shld", "shrd"):
        count = _count(text, cl)
        found = set() if count <= 1 else {"of"}
        if name in ("shl", "sal", "shr") and count >= width:
            found.add("cf")
        if name in ("shld", "shrd") and count > width:
            found = _ALL
        return found
    if name in ("mul", "imul"):
        return {"zf", "sf", "pf"}
    if name in ("div", "idiv"):
        return _ALL
    if name in ("bt", "bts", "btr", "btc"):
        return {"of", "sf", "pf"}
    if name in ("bsf", "bsr"):
        return _ALL - {"zf"}
    if name in ("tzcnt", "lzcnt"):
        return {"of", "sf", "pf"}
    return set()


def _count(text: str, cl: int) -> int:
    last = text.rpartition(",")[2].strip()
    return (cl if last == "cl" else int(last)) & (63 if width_of(text) == 8 else 31)


def is_undefined(text: str, cl: int) -> bool:
    """Whether the manual leaves the destination undefined."""
    return text.startswith(("shld", "shrd")) and _count(text, cl) > 8 * width_of(text)


# How instructions begin that write to no operand in memory.
READING = (
    "cmp", "test", "bt ", "imul", "mul", "div", "idiv", "bs", "tzcnt", "lzcnt", "popcnt", "cmov", "movs", "movz", "push",
)  # fmt: skip
