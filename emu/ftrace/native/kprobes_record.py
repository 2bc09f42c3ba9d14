# SPDX-License-Identifier: GPL-2.0-only
"""What native code knows of all kprobes of a machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from emu.ftrace.native.trace_records import Kprobes
from emu.native.record import offsets

globals().update(offsets(Kprobes))
if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...

