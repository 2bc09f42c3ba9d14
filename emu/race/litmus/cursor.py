# SPDX-License-Identifier: GPL-2.0-only
"""A text that is parsed from start to end, with positions for errors."""

from __future__ import annotations

import re
from bisect import bisect_right

from emu.race.scenario.text_file import TextError, Word

__all__ = ["Cursor"]

_COMMENT = re.compile(r"\(\*.*?\*\)", re.DOTALL)
_BLANK = re.compile(r"\s*")


class Cursor:
    """A position in a text."""

    def __init__(self, text: str, path: str) -> None:
        self.text = _COMMENT.sub(lambda comment: re.sub(r"[^\n]", " ", comment[0]), text)
        self.at = 0
        self._path = path
        self._starts = [0, *(found.end() for found in re.finditer("\n", self.text))]

    def word(self, at: int, text: str = "") -> Word:
        """A word at a character's position, for errors."""
        line = bisect_right(self._starts, at) - 1
        return Word(text, line + 1, at - self._starts[line] + 1)

    def error(self, at: int, why: str) -> TextError:
        place = self.word(at)
        return TextError(self._path, why, place.line, place.column)

    def skip(self) -> None:
        """Skips blanks."""
        blank = _BLANK.match(self.text, self.at)
        self.at = blank.end() if blank else self.at

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Moves past a match of the pattern, if it matches here."""
        found = pattern.match(self.text, self.at)
        if found:
            self.at = found.end()
        return found

    def rest_of_line(self) -> str:
        end = self.text.find("\n", self.at)
        return self.text[self.at : end if end >= 0 else len(self.text)]
