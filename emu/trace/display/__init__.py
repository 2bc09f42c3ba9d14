# SPDX-License-Identifier: GPL-2.0-only
"""What a notebook shows of a trace and of its tables."""

from emu.trace.display.columns import columns_html
from emu.trace.display.html import table
from emu.trace.display.overview import trace_html
from emu.trace.display.timeline import timeline

__all__ = ["columns_html", "table", "timeline", "trace_html"]
