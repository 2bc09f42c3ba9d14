# SPDX-License-Identifier: GPL-2.0-only
"""The nop tracer: it records no functions; markers still reach the buffer."""

from __future__ import annotations

import errno

from emu.ftrace.arrays.options import Option
from emu.ftrace.errors import TraceError
from emu.ftrace.tracers.tracer import TracedArray, Tracer
from emu.kernel.kernel_log import Level

__all__ = ["NOP"]

_REFUSED = "test_nop_refuse"
_LOGGED = "nop_{} flag set to {}: we {}. Now cat trace_options to see the result"


class _Nop(Tracer):
    """The tracer. Its two options show how a tracer accepts or refuses an option."""

    def option_changed(self, array: TracedArray, name: str, on: bool) -> None:
        refused = name == _REFUSED
        if name not in {option.name for option in self.options}:
            return
        words = ("test_refuse", "refuse") if refused else ("test_accept", "accept")
        array.globals.log.write(_LOGGED.format(words[0], int(on), words[1]), Level.DEBUG)
        if refused:
            raise TraceError(errno.EINVAL, f"the tracer 'nop' refuses each change of '{name}'")


NOP = _Nop("nop", options=(Option("test_nop_accept", False), Option(_REFUSED, False)), in_instances=True)
