# SPDX-License-Identifier: GPL-2.0-only
"""The board's record: what its CPUs and Python share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from emu.cpu.native.cpu_records import Board
from emu.native.record import offsets

globals().update(offsets(Board))
if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


HOST_CALL_COUNT = 64
