# SPDX-License-Identifier: GPL-2.0-only
"""The stages in which entries of made events are put together, one inside the other (`native.stages`). One for the machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from emu.ftrace.native.trace_records import Stages
from emu.native.record import offsets

STAGE_SIZE = 4096  # bytes, more than any entry has
STAGES = 4  # as many events can be under way at once, each made by what the one before makes happen

globals().update(offsets(Stages))
if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


SIZE_OF_STAGE, MOST = np.uint64(STAGE_SIZE), np.uint64(STAGES)
