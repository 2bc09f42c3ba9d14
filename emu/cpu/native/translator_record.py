# SPDX-License-Identifier: GPL-2.0-only
"""What changes Unicorn's translator, for all CPUs of an architecture: addresses of its functions and of ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from emu.cpu.native.cpu_records import Translator
from emu.native.record import offsets

INSTRUCTION_COUNT = 4
NOTICED_COUNT = 16

globals().update(offsets(Translator))
if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...

