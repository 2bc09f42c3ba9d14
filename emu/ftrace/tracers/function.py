# SPDX-License-Identifier: GPL-2.0-only
"""The function tracer: one event for each call."""

from emu.ftrace.tracers.tracer import Callback, Tracer

__all__ = ["FUNCTION"]

FUNCTION = Tracer("function", Callback.ENTRY, in_instances=True)
