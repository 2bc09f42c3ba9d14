# SPDX-License-Identifier: GPL-2.0-only
"""The text of traces, as Linux prints it."""

from emu.ftrace.text.trace import render_events, render_trace
from emu.ftrace.text.view import TraceView

__all__ = ["TraceView", "render_events", "render_trace"]
