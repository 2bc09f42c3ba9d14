# SPDX-License-Identifier: GPL-2.0-only
"""Perfetto's trace format (.pftrace)."""

from emu.trace.convert.perfetto.packets import perfetto

__all__ = ["perfetto"]
