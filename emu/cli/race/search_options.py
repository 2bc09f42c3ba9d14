# SPDX-License-Identifier: GPL-2.0-only
"""What the options of `emu race check` ask of each search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from emu.race import Limits

__all__ = ["SearchOptions"]


@dataclass(frozen=True)
class SearchOptions:
    """Options as the user has given them. None: not at all."""

    on: str
    fetch: str | None
    cpus: int | None
    sites: int | None
    seed: int
    limit: Limits | None
