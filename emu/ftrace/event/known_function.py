# SPDX-License-Identifier: GPL-2.0-only
"""What a reader of traces knows of a function of the kernel that a print fmt calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["KnownFunction"]


@dataclass(frozen=True)
class KnownFunction:
    """A function of the kernel that a reader of traces has, too.

    `parameters`: `n`, a number; `m`, what a pointer points to, as bytes; `-`: `call` does not get it. The result is a number
    that fits an unsigned long, or a text.
    """

    parameters: str
    call: Callable[..., int | str]
    is_text: bool = False
