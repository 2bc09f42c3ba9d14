# SPDX-License-Identifier: GPL-2.0-only
"""emu report: the text of a trace.dat."""

from emu.cli.report.command import report

__all__ = ["report"]
