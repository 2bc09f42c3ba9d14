# SPDX-License-Identifier: GPL-2.0-only
"""Texts of units, which may be anything, as people see them."""

from __future__ import annotations

__all__ = ["is_short", "printable"]

_LONGEST = 60  # characters


def is_short(text: str) -> bool:
    """Whether a text can be shown as it is."""
    return len(text) <= _LONGEST and text.isprintable()


def printable(text: str) -> str:
    """The text in a line: without control characters, and shortened."""
    shown = "".join(letter if letter.isprintable() else f"\\x{ord(letter):02x}" for letter in text[: _LONGEST + 1])
    return shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…"
