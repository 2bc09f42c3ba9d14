# SPDX-License-Identifier: GPL-2.0-only
"""A page that shows a trace in any browser (.html)."""

from emu.trace.convert.page.document import page

__all__ = ["page"]
