# SPDX-License-Identifier: GPL-2.0-only
"""Traces as data, from files of trace-cmd or from a machine: columns, calls, and text."""

from emu.trace.errors import TraceFileError
from emu.trace.lists import Lists
from emu.trace.recording import Buffer, CpuPages, FormatText, Option, PageLayout, Recording
from emu.trace.trace import EventTables, Trace

__all__ = [
    "Buffer", "CpuPages", "EventTables", "FormatText", "Lists", "Option", "PageLayout", "Recording", "Trace", "TraceFileError",
]  # fmt: skip


def _notebook_view(trace: Trace) -> str:
    from emu.trace.display.overview import trace_html

    return trace_html(trace)


Trace.notebook_view = _notebook_view
