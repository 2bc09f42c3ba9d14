# SPDX-License-Identifier: GPL-2.0-only
"""The text that the file `trace` in tracefs would have, from a recorded trace."""

from __future__ import annotations

from collections.abc import Iterator

from emu.trace.report import ReportOptions
from emu.trace.trace import Trace

__all__ = ["trace_text"]


def trace_text(trace: Trace, options: ReportOptions) -> Iterator[bytes]:
    yield b""
