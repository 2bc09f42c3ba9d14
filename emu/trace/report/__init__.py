# SPDX-License-Identifier: GPL-2.0-only
"""The text of `trace-cmd report`."""

from emu.trace.report.context import ReportContext
from emu.trace.report.report import Report, ReportOptions

__all__ = ["Report", "ReportContext", "ReportOptions"]
