# SPDX-License-Identifier: GPL-2.0-only
"""The race lab's text files: lines of words, and errors with positions."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeVar

from emu.ftrace.errors import did_you_mean, enumeration

__all__ = ["Line", "TextError", "TextFile", "Word", "decoded", "one_line", "quoted", "read_text"]

_LONGEST_SHOWN = 40  # characters of a word in an error
_TOKEN = re.compile(r'"[^"]*"?|#.*|[^\s#"]+')

Value = TypeVar("Value")


class TextError(ValueError):
    """An error in a text file, as one line: `FILE:LINE:COLUMN: what is wrong; what is allowed`.

    Attributes:
        path: the file's path.
        line: counted from 1; 0: the error is not in a single line.
        column: of the first character, counted from 1.
        why: what is wrong, and what is allowed.
    """

    def __init__(self, path: str, why: str, line: int = 0, column: int = 0) -> None:
        self.path, self.why, self.line, self.column = one_line(path), one_line(why), line, column
        super().__init__(f"{self.path}:{f'{line}:{column}:' if line else ''} {self.why}")


class Word(NamedTuple):
    """A word of a file. A quoted text is one word, including its quotation marks."""

    text: str
    line: int
    column: int


@dataclass(frozen=True)
class Line:
    """A non-empty line.

    Attributes:
        words: the words, without the comment.
        indent: the number of blanks before the first word.
        end: an empty word at the position after the last one.
        comment: the text after "#".
    """

    words: tuple[Word, ...]
    indent: int
    end: Word
    comment: str = ""

    @property
    def head(self) -> Word:
        return self.words[0]

    @property
    def values(self) -> tuple[Word, ...]:
        return self.words[1:]


class TextFile:
    """A text as lines of words, without lines that are empty or only a comment.

    Args:
        text: the file's contents.
        path: the file's name, for errors.

    Raises:
        TextError: it contains a NUL byte, or a quotation mark is missing.
    """

    def __init__(self, text: str, path: str | Path) -> None:
        self.path = str(path)
        self.raw = text.split("\n")
        self.lines = [line for number, raw in enumerate(self.raw, 1) if (line := self._line(number, raw))]
        self.end = Word("", len(self.raw), len(self.raw[-1]) + 1)

    def _line(self, number: int, raw: str) -> Line | None:
        raw = raw.rstrip()
        if "\0" in raw:
            raise self.error(Word("", number, raw.index("\0") + 1), "a NUL byte; a text has none")
        words, comment = [], ""
        for token in _TOKEN.finditer(raw):
            word = Word(token[0], number, token.start() + 1)
            if word.text.startswith("#"):
                comment = word.text[1:]
            elif word.text.startswith('"') and (len(word.text) == 1 or not word.text.endswith('"')):
                raise self.error(word, "the text does not end; it ends with another quotation mark, in its line")
            else:
                words.append(word)
        if not words:
            return None
        last = words[-1]
        return Line(tuple(words), words[0].column - 1, Word("", number, last.column + len(last.text)), comment)

    def error(self, at: Word, why: str) -> TextError:
        return TextError(self.path, why, at.line, at.column)

    def one(self, line: Line, what: str) -> Word:
        """The single value of a line, described by `what`."""
        if not line.values:
            raise self.error(line.end, f"{quoted(line.head.text)} has no value; {what} is needed")
        self.no_more(line, 2, what)
        return line.values[0]

    def no_more(self, line: Line, words: int, what: str) -> None:
        """Checks that a line has no more than so many words, the last of which are `what`."""
        if len(line.words) > words:
            extra = line.words[words]
            raise self.error(extra, f"{quoted(extra.text)} is one word too many; {quoted(line.head.text)} has {what}")

    def distinct(self, words: Sequence[Word], value: Callable[[Word], Value], end: Word, missing: str) -> list[Value]:
        """The values of words: at least one, without repetitions. If there is none, `missing` is wrong at `end`."""
        if not words:
            raise self.error(end, missing)
        found: list[Value] = []
        for word in words:
            one = value(word)
            if one in found:
                raise self.error(word, f"{quoted(word.text)} again; once is enough")
            found.append(one)
        return found

    def choice(self, word: Word, names: Iterable[str], what: str) -> str:
        """A word that must be one of some names, each described by `what`."""
        known = list(names)
        if word.text not in known:
            allowed = f"{enumeration(known, 'or')}{did_you_mean(word.text[: 2 * _LONGEST_SHOWN], known)}"
            raise self.error(word, f"{quoted(word.text)} is no {what}; {allowed}")
        return word.text

    def number(self, word: Word, numbers: range, what: str) -> int:
        """A word that must be a decimal number in a range, described by `what`."""
        text = word.text
        if not (text.isascii() and text.isdigit() and len(text) < 20 and int(text) in numbers):
            raise self.error(word, f"{quoted(text)} is no {what}; {_range(numbers)}")
        return int(text)


def _range(numbers: range) -> str:
    if not numbers:
        return "there is none"
    kind = "number" if numbers.step == 1 else f"multiple of {numbers.step}"
    return str(numbers[0]) if len(numbers) == 1 else f"a {kind} from {numbers[0]} to {numbers[-1]}"


def read_text(path: Path, most: int) -> str:
    """Reads a file of at most so many bytes.

    Raises:
        TextError: the file cannot be read, is too long, or is not UTF-8.
    """
    try:
        with path.open("rb") as file:
            data = file.read(most + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL byte in its name
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise TextError(str(path), f"cannot be read: {reason}") from None
    if len(data) > most:
        raise TextError(str(path), f"is too long; at most {most:,} bytes")
    return decoded(data, path)


def decoded(data: bytes, path: str | Path) -> str:
    """The contents of a file as text, without the byte order mark that some editors add.

    Raises:
        TextError: it is not UTF-8.
    """
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start]
        column = len(before[before.rfind(b"\n") + 1 :].decode()) + 1
        why = f"the byte {data[error.start]:#04x} is not UTF-8; a text is UTF-8"
        raise TextError(str(path), why, before.count(b"\n") + 1, column) from None


def one_line(text: str) -> str:
    """A text without unprintable characters, and with single blanks between words."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in " ".join(text.split()))


def quoted(text: str) -> str:
    """A word for an error: at most a few of its characters."""
    shown = one_line(text)
    return f"'{shown if len(shown) <= _LONGEST_SHOWN else shown[: _LONGEST_SHOWN - 3] + '...'}'"
