# SPDX-License-Identifier: GPL-2.0-only
"""The function tracer: one event for each call."""

from emu.ftrace.options import Option
from emu.ftrace.site_callback import Callback
from emu.ftrace.tracers.tracer import Tracer

__all__ = ["FUNCTION"]

FUNCTION = Tracer("function", Callback.ENTRY, options=(Option("func_stack_trace", False),), in_instances=True)
