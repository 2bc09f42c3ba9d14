# SPDX-License-Identifier: GPL-2.0-only
"""The options of `emu race check` that apply to each search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from emu.race import Limits

__all__ = ["SearchOptions"]


@dataclass(frozen=True)
class SearchOptions:
    """Options as given by the user. None: not given."""

    on: str
    fetch: str | None
    cpus: int | None
    sites: int | None
    seed: int
    limit: Limits | None
