# SPDX-License-Identifier: GPL-2.0-only
"""The nop tracer: records no function; markers still reach the buffer."""

from emu.ftrace.tracers.tracer import Tracer

__all__ = ["NOP"]

NOP = Tracer("nop", in_instances=True)
