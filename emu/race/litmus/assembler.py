# SPDX-License-Identifier: GPL-2.0-only
"""Assembles the columns of a litmus test. keystone's output is verified with capstone, and refused if it differs. An
architecture that keystone does not have assembles itself."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import keystone

from emu.ftrace.errors import did_you_mean, enumeration
from emu.race.litmus.arch import CODE, CODE_SIZE, BadOperand, Decoded, LitmusArch
from emu.race.scenario.text_file import TextError, Word, quoted

__all__ = ["LABEL", "NAME", "TAKES", "Line", "Program", "assemble", "number"]

NAME = r"[A-Za-z_][A-Za-z0-9_.]*"
LABEL = re.compile(rf"\s*({NAME})\s*:(?!:)\s*")
_NUMBER = re.compile(r"-?(?:0[xX][0-9a-fA-F]{1,16}|[0-9]{1,20})")
_ALIGN = re.compile(r"\.align\s+(\d{1,4})(?:\s*\+\s*(\d{1,4}))?")
# keystone hangs on lines that begin otherwise, also after a prefix.
_INSTRUCTION = re.compile(r"(?!(?:(?:lock|rep\w*)\s+)+[^A-Za-z\s])[A-Za-z][\w.,]*(?:\s|$)", re.IGNORECASE)
_SIGNAL = re.compile(r"\.ipi\s+(?P<cpu>\d{1,3})|\.interrupt")
TAKES = -1
_BYTE = re.compile(r"\.byte\s+(.*)")
_SYMBOL = re.compile(rf"(?<![%\w.#]){NAME}")
_PREFIXED = re.compile(r"%(\w*)")
_HALF = re.compile(rf"%(hi|lo)\(\s*({NAME}|0[xX][0-9a-fA-F]+|\d+)\s*(?:([+-])\s*(\d{{1,9}}))?\s*\)")
_SUM = re.compile(r"(?<![\w%])(0x[0-9a-f]+)\s*([+-])\s*(0x[0-9a-f]{1,16}|\d{1,20})(?![\w*])(?!\s*\*)")
_SHAPE = re.compile(r"[A-Za-z][\w,]*(?:\s+[\w\s%+*,:\[\]-]*)?")  # keystone hangs on others, such as `=` and `lock [`
_SPACE = 16  # minimum of bytes without an instruction after each column
_LINE = 64
_LARGEST_ALIGNMENT = 1024
_MOST_ROUNDS = 30
_MOST_SHOWN, _LONGEST_NAME = 12, 40  # names in an error; maximum length of compared names
_WORD = (1 << 64) - 1


@dataclass(frozen=True)
class Line:
    """One instruction or directive of a column, without its labels.

    Attributes:
        text: the text as written.
        at: its position in the file.
    """

    text: str
    at: Word


@dataclass(frozen=True)
class Program:
    """The code of all columns.

    Attributes:
        code: the contents of memory from CODE on.
        begins: for each column, the address of its first instruction.
        ends: for each column, the address after its last instruction.
        labels: the labels' addresses.
        lines: the lines' texts, by address.
        signals: by the address of an `.ipi`, the CPU that it interrupts; by that of an `.interrupt`, TAKES.
    """

    code: bytes
    begins: tuple[int, ...]
    ends: tuple[int, ...]
    labels: Mapping[str, int]
    lines: Mapping[int, str] = field(repr=False)
    signals: Mapping[int, int] = field(default_factory=dict)


def number(text: str) -> int | None:
    """The value of a decimal or hexadecimal number; None if it is not one."""
    return int(text, 0) if _NUMBER.fullmatch(text) and not re.fullmatch(r"-?0\d+", text) else None


def assemble(path: str, arch: LitmusArch, columns: Sequence[Sequence[Line | str]], words: Mapping[str, int]) -> Program:
    """Assembles the columns, each of which begins on a line of 64 bytes.

    Args:
        path: the file's path, for errors.
        columns: lines, preceded by the labels of their addresses.
        words: the addresses of memory words.

    Raises:
        TextError: a line is not an instruction.
    """
    return _Assembler(path, arch, columns, words).program()


class _Assembler:
    def __init__(self, path: str, arch: LitmusArch, columns: Sequence[Sequence[Line | str]], words: Mapping[str, int]) -> None:
        self._path, self._arch, self._columns = path, arch, columns
        self._names = {name for column in columns for name in column if isinstance(name, str)}
        self._words = words
        self._signals: dict[int, int] = {}
        self._placed = False  # whether the labels have been placed, if not at their last places
        self._symbols = {**dict.fromkeys(self._names, CODE), **words}
        for column in columns:
            for line in column:
                if isinstance(line, Line):
                    self._check_names(line)

    def program(self) -> Program:
        """Assembles until no label moves any more: a jump's length depends on its distance."""
        for _ in range(_MOST_ROUNDS):
            before = dict(self._symbols)
            program = self._round()
            placed, self._placed = self._placed, True
            if placed and before == self._symbols:
                return program
        at = next(line.at for column in self._columns for line in column if isinstance(line, Line))
        raise TextError(self._path, "the labels do not converge; use fewer `.align`", at.line, at.column)

    def _round(self) -> Program:
        filler = self._arch.filler
        code, lines = bytearray(), {}
        begins, ends = [], []
        self._signals = {}
        for column in self._columns:
            code += filler * (-len(code) % _LINE // len(filler))
            begins.append(CODE + len(code))
            for line in column:
                if isinstance(line, str):
                    self._symbols[line] = CODE + len(code)
                    continue
                made = self._line(line, CODE + len(code))
                if len(code) + len(made) > CODE_SIZE - _LINE:
                    raise self._error(line, f"the code does not fit; {CODE_SIZE - _LINE:,} bytes are possible")
                if not line.text.startswith(".align"):
                    lines[CODE + len(code)] = line.text
                code += made
            ends.append(CODE + len(code))
            code += filler * (_SPACE // len(filler))
        code += filler * (-len(code) % _LINE // len(filler))
        if len(code) > CODE_SIZE:
            raise TextError(self._path, f"the code does not fit; {CODE_SIZE:,} bytes are possible")
        labels = {name: self._symbols[name] for name in sorted(self._names)}
        return Program(bytes(code), tuple(begins), tuple(ends), labels, lines, self._signals)

    def _error(self, line: Line, why: str, offset: int = 0) -> TextError:
        return TextError(self._path, why, line.at.line, line.at.column + offset)

    def _line(self, line: Line, address: int) -> bytes:
        if line.text.startswith("."):
            if found := _SIGNAL.fullmatch(line.text):
                return self._signal(line, address, found["cpu"])
            return self._directive(line, address)
        return self._instruction(line, address)

    def _signal(self, line: Line, address: int, cpu: str | None) -> bytes:
        """An instruction that does nothing, in place of one that sends or takes an interrupt."""
        if cpu is not None and int(cpu) >= len(self._columns):
            raise self._error(line, f"there is no CPU {cpu}; 0 to {len(self._columns) - 1}")
        self._signals[address] = TAKES if cpu is None else int(cpu)
        return self._arch.padding

    def _directive(self, line: Line, address: int) -> bytes:
        unit = self._arch.cpu.instruction_alignment
        if found := _ALIGN.fullmatch(line.text):
            to, rest = int(found[1]), int(found[2] or 0)
            if not 1 <= to <= _LARGEST_ALIGNMENT or to & to - 1 or rest >= to or rest % unit or to % unit:
                allowed = f"N is a power of 2 up to {_LARGEST_ALIGNMENT}, and K a multiple of {unit} below N"
                raise self._error(line, f"{quoted(line.text)} is no `.align N + K`; {allowed}")
            padding = self._arch.padding
            return padding * ((rest - address) % to // len(padding))
        if found := _BYTE.fullmatch(line.text):
            values = [number(text) for text in re.split(r"[\s,]+", found[1].strip().rstrip(","))]
            code = bytes(value for value in values if value is not None and 0 <= value < 256)
            if len(code) != len(values):
                raise self._error(line, "`.byte` has something that is no byte; numbers from 0 to 0xff")
            if len(code) % unit:
                raise self._error(line, f"`.byte` has {len(code)} bytes; a multiple of {unit} is needed")
            return code
        raise self._error(line, f"{quoted(line.text)} is no directive; `.align N + K`, `.byte N ...`, `.ipi CPU` or `.interrupt`")

    def _check_names(self, line: Line) -> None:
        """Checks that every name in the operands is known."""
        if line.text.startswith("."):
            return
        _, _, operands = _split(line.text)
        offset = len(line.text) - len(operands)
        for found in _PREFIXED.finditer(operands):
            if found[1].lower() not in self._arch.prefixed:
                why = f"{quoted(found[0])} is no register; one as %{next(iter(self._arch.registers))}"
                raise self._error(line, why, offset + found.start())
        for found in _SYMBOL.finditer(_HALF.sub(lambda m: m[0].replace(f"%{m[1]}(", "    ").replace(")", " "), operands)):
            name = found[0]
            if name not in self._symbols and name.lower() not in self._arch.words:
                known = sorted(self._symbols)
                register = self._arch.register_prefix + next(iter(self._arch.registers))
                symbols = f" or {enumeration(known[:_MOST_SHOWN], 'or')}" if known else ""
                meant = did_you_mean(name[:_LONGEST_NAME], [*known, *self._arch.words])
                why = f"{quoted(name)} is not known; a register (as {register}){symbols}{meant}"
                raise self._error(line, why, offset + found.start())

    def _instruction(self, line: Line, address: int) -> bytes:
        if not _INSTRUCTION.match(line.text):
            raise self._error(line, f"{quoted(line.text)} is no instruction; the name of one comes first")
        arch = self._arch
        wanted = self._numbered(line.text)
        if arch.keystone_mode is None:
            try:
                return arch.assembled(wanted, address)
            except ValueError as error:
                if isinstance(error, BadOperand) and not self._placed:
                    return bytes(error.size)
                raise self._error(line, f"{quoted(line.text)} does not assemble: {error}; {arch.language} is needed") from None
        if not _SHAPE.fullmatch(wanted) or not all(word[0].isalpha() for word in _split(wanted)[0].split()):
            raise self._error(line, f"{quoted(line.text)} is no instruction; a name, then names, numbers and + - * , : [ ] %")
        read, code = None, b""
        try:
            for code in arch.encodings(wanted, address):
                for read in arch.readings(code, address):
                    if read.size == len(code) and self._same(wanted, read, address):
                        return code
        except keystone.KsError as error:
            why = str(error).split(" (")[0]
            why = f"does not assemble: {why[:1].lower()}{why[1:]}; {arch.language} is needed"
            raise self._error(line, f"{quoted(line.text)} {why}") from None
        if read and read.size < len(code):
            raise self._error(line, f"{quoted(line.text)} is more than one instruction, the first of which is `{read.text}`; one")
        reads = f"`{read.text}`; write that, or its bytes with `.byte`" if read else "nothing; write its bytes with `.byte`"
        raise self._error(line, f"{quoted(line.text)} is assembled to what reads as {reads}")

    def _numbered(self, text: str) -> str:
        """An instruction with numbers instead of symbols."""
        mnemonic, space, operands = _split(text)
        operands = _HALF.sub(self._half, operands)
        operands = _SYMBOL.sub(lambda m: hex(self._symbols[m[0]]) if m[0] in self._symbols else m[0].lower(), operands)
        while found := _SUM.search(operands):
            left, right = int(found[1], 16), int(found[3], 0)
            total = left + right if found[2] == "+" else left - right
            operands = operands[: found.start()] + f"{total & _WORD:#x}" + operands[found.end() :]
        return f"{mnemonic.lower()}{space}{operands}"

    def _half(self, found: re.Match[str]) -> str:
        value = self._symbols[found[2]] if found[2] in self._symbols else int(found[2], 0)
        value += int(found[3] + found[4]) if found[4] else 0
        return hex(value >> 10 & 0x3F_FFFF if found[1] == "hi" else value & 0x3FF)

    def _same(self, wanted: str, read: Decoded, address: int) -> bool:
        """Whether capstone decodes what was written."""
        following = address + read.size
        (names, operands), (names_read, operands_read) = (_parts(text, self._arch) for text in (wanted, read.text))
        bits = _bits(operands_read, self._arch)
        if names != names_read or (_STRING.fullmatch(names[-1]) and not operands):
            return names == names_read
        if len(operands) != len(operands_read):
            return False
        pairs = zip((_operand(part, following, bits) for part in operands), operands_read, strict=True)
        return all(_alike(left, _operand(right, following, bits)) for left, right in pairs)


_PREFIXES = ("lock", "rep", "repe", "repz", "repne", "repnz")
_STRING = re.compile("(movs|stos|lods|scas|cmps)[bwdq]")
_SIZES = {"byte": 8, "word": 16, "dword": 32, "qword": 64, "xmmword": 128}
_SIZED = re.compile(rf"({'|'.join(_SIZES)})(?:\s+ptr\b)?\s*(?=\S)")
_TERM = re.compile(r"([+-]?)\s*([^\s+-][^+-]*)")


def _split(text: str) -> tuple[str, str, str]:
    """The mnemonic with its prefixes, blanks, and the operands of an instruction."""
    words = re.match(rf"((?:(?:{'|'.join(_PREFIXES)})\s+)*\S*)(\s*)", text, re.IGNORECASE)
    assert words
    return words[1], words[2], text[words.end() :]


def _parts(text: str, arch: LitmusArch) -> tuple[list[str], list[str]]:
    """The words of an instruction's name, with aliases resolved, and its operands."""
    mnemonic, _, operands = _split(text.strip().lower())
    names = [arch.aliases.get(word, word) for word in mnemonic.split()]
    return names, [part.strip() for part in re.split(r",(?![^\[]*\])", operands) if part.strip()]


def _bits(operands: Sequence[str], arch: LitmusArch) -> int:
    """The width of an instruction's first operand in bits."""
    if operands and (sized := _SIZED.match(operands[0])):
        return _SIZES[sized[1]]
    register = arch.registers.get(operands[0].removeprefix(arch.register_prefix)) if operands else None
    return register.bits if register else 64


class _Operand(NamedTuple):
    """The meaning of an operand, independent of its spelling.

    Attributes:
        size: bits of the memory operand; 0 if not given.
        around: the text before and after the brackets, and whether there are any.
        constant: the sum of all constants.
        terms: how many times each register, or product with one, is added.
    """

    size: int
    around: tuple[str, bool, str]
    constant: int
    terms: Counter[str]


def _operand(text: str, following: int, bits: int) -> _Operand:
    """`following`: the address after the instruction, which is the value of `rip`. `bits`: the width of a number."""
    size = 0
    if sized := _SIZED.match(text):
        size, text = _SIZES[sized[1]], text[sized.end() :]
    before, bracket, rest = text.partition("[")
    inside, _, behind = rest.partition("]") if bracket else (before, "", "")
    constant, terms = 0, Counter[str]()
    for sign, term in _TERM.findall(inside):
        word = "".join(term.split())
        value = following if word == "rip" else number(word)
        if value is not None:
            constant += -value if sign == "-" else value
        else:
            terms[sign.replace("+", "") + "*".join(sorted(word.split("*"), reverse=True)).removesuffix("*1")] += 1
    if not bracket and -(1 << bits - 1) <= constant < 0:
        constant += 1 << bits
    return _Operand(size, (before.strip() if bracket else "", bool(bracket), behind.strip()), constant & _WORD, terms)


def _alike(left: _Operand, right: _Operand) -> bool:
    return left[1:] == right[1:] and (not left.size or not right.size or left.size == right.size)
