# SPDX-License-Identifier: GPL-2.0-only
"""A kernel's constants, as far as print fmts name them."""

from __future__ import annotations

from typing import Protocol

__all__ = ["Constants"]


class Constants(Protocol):
    """Numbers by their names in C; the size of a structure is `sizeof(struct page)`. A dict is one."""

    def __contains__(self, name: object, /) -> bool: ...

    def __getitem__(self, name: str, /) -> int: ...
