# SPDX-License-Identifier: GPL-2.0-only
"""A CPU's record: what native code and Python share of one CPU.

Native code gets the record's address through hooks' user pointers and CPUState.opaque.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from emu.cpu.native.cpu_records import Cpu
from emu.native.record import offsets

VECTORS = 256
ARGUMENT_COUNT = 4
HOOK_ARGUMENT_COUNT = 4
TRANSLATION_BUFFER = 32 << 20  # bytes of translated code a CPU may hold
BLOCK_COUNT = TRANSLATION_BUFFER // 128  # a TranslationBlock alone takes more bytes than that
NEVER = np.uint64(0xFFFF_FFFF_FFFF_FFFF)  # a time that does not come

globals().update(offsets(Cpu))
if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


# STATUS
OFF, RUNNING, HALTED = np.uint64(0), np.uint64(1), np.uint64(2)
STOPPED = np.uint64(3)  # halted with interrupts off

# REQUEST
NO_REQUEST, HOST_CALL_REQUEST, STOP_REQUEST = np.uint64(0), np.uint64(1), np.uint64(2)
