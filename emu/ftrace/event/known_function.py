# SPDX-License-Identifier: GPL-2.0-only
"""A kernel function that a print fmt calls and that trace readers implement."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["KnownFunction"]


@dataclass(frozen=True)
class KnownFunction:
    """A Python implementation of a kernel function, for readers of traces.

    `parameters`: `n` is a number; `m` is the bytes behind a pointer; `-` is not passed to `call`. The result is a number that
    fits an unsigned long, or a text.
    """

    parameters: str
    call: Callable[..., int | str]
    is_text: bool = False
