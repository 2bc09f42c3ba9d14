# SPDX-License-Identifier: GPL-2.0-only
"""An HTML page that shows a trace in any browser (.html)."""

from emu.trace.convert.page.document import page

__all__ = ["page"]
