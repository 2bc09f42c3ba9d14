# SPDX-License-Identifier: GPL-2.0-only
"""Assembles machine code for the guest's kernel, with keystone."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

import keystone

from emu.ftrace.arch import FtraceArch

__all__ = ["assemble"]

_COMMENT = re.compile(r"(?:#|//|!).*")
_LABEL = re.compile(r"([A-Za-z_.][\w.]*)\s*:\s*")
# keystone hangs on some lines that do not match this.
_INSTRUCTION = re.compile(r"(?:(?:lock|rep\w*)\s+)?[A-Za-z][\w,]*(?:\s+[\w\s%+*,.:()\[\]-]*)?", re.IGNORECASE)
_DECIMAL = re.compile(r"(?<![\w%.])\d+(?!\w)")
_TARGET = re.compile(r"((?:call|j[a-z]{1,4})\s+)([A-Za-z_.][\w.]*|0x[0-9a-f]+)")
_MEMORY = re.compile(r"\[([^\]]*)\]")
_NAME = re.compile(r"(?<![\w%(.])[A-Za-z_.][\w.]*")
_PLACE = "place_"  # the prefix of the names that stand for addresses in keystone's input


def assemble(arch: FtraceArch, text: str, address: int, symbol: Callable[[str], int | None]) -> bytes:
    """The machine code of instructions that will be placed at an address.

    >>> assemble(arch, "mov eax, 5; ret", 0xffffffff81000000, lambda name: None).hex()
    'b805000000c3'

    Args:
        arch: the architecture. Of two syntaxes, Intel's is meant.
        text: instructions and labels (`again:`), one in a line or separated by semicolons. What follows `#`, `//` or `!` is a
            comment.
        address: of the first instruction.
        symbol: the address of what is known by a name; None: nothing is. Its name may be used as a target or a number.

    Raises:
        ValueError: the text cannot be assembled.
    """
    labels, lines = _split(text)
    for line in lines:
        for name in (name for inside in _MEMORY.findall(line) for name in _NAME.findall(inside)):
            if name in labels or symbol(name) is not None:
                raise ValueError(f"'{line}': the address of {name} must be in a register")

    def target(found: re.Match[str]) -> str:
        """keystone encodes the distance to a number wrongly on one architecture, and the distance to a name on the other."""
        name = found[2]
        value = int(name, 16) if name.startswith("0x") else None if name in labels else symbol(name)
        if value is None:
            return found[0]
        return found[1] + (f"{_PLACE}{value:x}" if arch.targets_by_name else f"{value:#x}")

    assembler = _Assembler(arch, symbol)
    source = [_TARGET.sub(target, line) for line in lines]
    try:
        code = assembler.code("\n".join(source), address)
    except keystone.KsError as error:
        raise ValueError(assembler.reason(source, labels, error)) from None
    if not code:
        raise ValueError("there is no instruction")
    return code


class _Assembler:
    """keystone, with a symbol resolver."""

    def __init__(self, arch: FtraceArch, symbol: Callable[[str], int | None]) -> None:
        self._symbol = symbol
        self._labels: Collection[str] = ()  # labels, which resolve to any address
        self._unknown: str | None = None
        self._keystone = keystone.Ks(*arch.keystone_mode())
        self._keystone.sym_resolver = self._resolve

    def code(self, source: str, address: int) -> bytes:
        """Raises keystone.KsError."""
        return bytes(self._keystone.asm(source, address)[0] or ())

    def reason(self, lines: list[str], labels: Collection[str], error: keystone.KsError) -> str:
        """Why lines cannot be assembled: the first line that fails by itself."""
        self._labels = labels
        wrong = "the instructions"
        for line in lines:
            try:
                self.code(line, 0)
            except keystone.KsError as of_line:
                wrong, error = f"'{line}'", of_line
                break
        if self._unknown is not None:
            return f"there is nothing that is called '{self._unknown}'"
        reason = str(error).split(" (")[0]
        return f"{wrong}: {reason[:1].lower()}{reason[1:]}"

    def _resolve(self, name: bytes, value: object) -> bool:
        text = name.decode()
        known = 0 if text in self._labels else self._symbol(text)
        if text.startswith(_PLACE):
            known = int(text.removeprefix(_PLACE), 16)
        if known is None:
            self._unknown = text
            return False
        value[0] = known  # type: ignore[index]  # a ctypes pointer to a number
        return True


def _split(text: str) -> tuple[set[str], list[str]]:
    """The labels, and the lines for keystone: with labels, without comments, with hexadecimal numbers only."""
    labels: set[str] = set()
    lines: list[str] = []
    for written in text.splitlines():
        for part in _COMMENT.sub("", written).split(";"):
            line = part.strip()
            while label := _LABEL.match(line):
                labels.add(label[1])
                lines.append(f"{label[1]}:")
                line = line[label.end() :]
            if line:
                if not _INSTRUCTION.fullmatch(line):
                    raise ValueError(f"'{line}' is no instruction")
                lines.append(_DECIMAL.sub(lambda number: hex(int(number[0])), line))
    return labels, lines
