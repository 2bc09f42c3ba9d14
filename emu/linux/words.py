# SPDX-License-Identifier: GPL-2.0-only
"""The words of a command for a Linux guest."""

from __future__ import annotations

from collections.abc import Sequence

from emu.guest_machine import BadCommand, shell_line

__all__ = ["words_of"]

_MOST_WORDS = 2 << 20  # bytes: what Linux takes for words and environment, with the default stack limit
_MOST_WORD = 128 << 10


def words_of(command: str | Sequence[str | bytes]) -> list[bytes]:
    """The words of a command as bytes.

    Raises:
        BadCommand: there is none, one has a NUL, or they are too long.
    """
    words = [
        word if isinstance(word, bytes) else word.encode(errors="surrogateescape")
        for word in (shell_line(command) if isinstance(command, str) else command)
    ]
    if not words:
        raise BadCommand("a command has at least one word: a program")
    if any(b"\0" in word for word in words):
        raise BadCommand("a command cannot hold a NUL byte")
    longest, total = max(map(len, words)), sum(len(word) + 1 for word in words)
    if longest >= _MOST_WORD:
        raise BadCommand(f"a word of {longest} bytes: at most {_MOST_WORD - 1} fit")
    if total > _MOST_WORDS:
        raise BadCommand(f"a command of {total} bytes: at most {_MOST_WORDS} fit")
    return words
