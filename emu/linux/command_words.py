# SPDX-License-Identifier: GPL-2.0-only
"""The words of a command, as a Linux guest's agent gets them."""

from __future__ import annotations

from collections.abc import Sequence

from emu.guest_machine import BadCommand, shell_line

__all__ = ["words_of_command"]

_MOST_WORDS = 2 << 20  # bytes: what Linux takes for words and environment, with the default stack limit
_MOST_WORD = 128 << 10


def words_of_command(command: str | Sequence[str | bytes]) -> list[bytes]:
    """The words of a command as bytes. A str is a line for the shell.

    Raises:
        BadCommand: there is no word, one has a NUL, or they are too long.
        TypeError: a word is neither str nor bytes.
    """
    words = [_encoded(word) for word in (shell_line(command) if isinstance(command, str) else command)]
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


def _encoded(word: str | bytes) -> bytes:
    if isinstance(word, bytes):
        return word
    if isinstance(word, str):
        return word.encode(errors="surrogateescape")
    raise TypeError(f"a word of a command is str or bytes, not {type(word).__name__}")
