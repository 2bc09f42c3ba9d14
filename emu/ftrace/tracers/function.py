# SPDX-License-Identifier: GPL-2.0-only
"""The function tracer: one event for each call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from emu.ftrace.arrays.options import Option
from emu.ftrace.native.call_values import ARGUMENTS
from emu.ftrace.sites.site_callback import Callback
from emu.ftrace.tracers.tracer import TracedArray, Tracer

if TYPE_CHECKING:
    from emu.cpu.native.cpu_records import Cpu
    from emu.ftrace.native.trace_records import ArrayCpu
    from emu.native.functions import Compiled
    from emu.native.records import u64

__all__ = ["FUNCTION"]

_STACKS, _NO_REPEATS, _ARGUMENTS = "func_stack_trace", "func-no-repeats", "func-args"


class _Function(Tracer):
    """The tracer. Its options are its own: they do not affect functions that other tracers record."""

    def start(self, array: TracedArray) -> None:
        self._record(array, array.options)

    def stop(self, array: TracedArray) -> None:
        self._record(array, {_STACKS: False, _NO_REPEATS: False, _ARGUMENTS: False})

    def option_changed(self, array: TracedArray, name: str, on: bool) -> None:
        if array.tracer is self:
            self._record(array, {**array.options, name: on})

    def _record(self, array: TracedArray, options: Mapping[str, bool]) -> None:
        """Makes native code record calls as the options say."""
        record = array.records.array
        record.function_values = ARGUMENTS if options.get(_ARGUMENTS) else 0
        record.func_stacks = array.globals.stacks.callbacks().function_stack if options[_STACKS] else None
        if bool(record.func_repeats) != options[_NO_REPEATS]:
            array.records.forget_calls()
            record.func_repeats = _repeats() if options[_NO_REPEATS] else None
        array.records.changed()


def _repeats() -> Compiled[[Cpu, ArrayCpu, u64, u64, u64, u64], u64]:
    """Compiles the check whether a call repeats the CPU's latest one."""
    from emu.ftrace.native.function_repeats import repeats

    return repeats


FUNCTION = _Function(
    "function",
    Callback.ENTRY,
    options=(Option(_STACKS, False), Option(_NO_REPEATS, False), Option(_ARGUMENTS, False, of_values=True)),
    in_instances=True,
)
