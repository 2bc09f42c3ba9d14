# SPDX-License-Identifier: GPL-2.0-only
"""What happens now, for those who are told of it: handlers of event files and of consumers. One record is enough for the machine,
because nothing interrupts a callback.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from emu.ftrace.native.trace_records import EventContext
from emu.native.record import offsets

globals().update(offsets(EventContext))
if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


PLACE_NOWHERE = np.uint64(0)  # the guest has no part in it: there is no backtrace
PLACE_EVENT = np.uint64(1)  # at trace_event_buffer_commit
PLACE_FUNCTION = np.uint64(2)  # where a traced function calls the function tracer or function_graph
PLACE_HOST_CALL = np.uint64(3)  # in the guest's hostcall()
PLACE_REGISTERS = np.uint64(4)  # in the handler of a trap, which has SAVED the registers
PLACE_BLOCK = np.uint64(5)  # where any block begins, at IP
