# SPDX-License-Identifier: GPL-2.0-only
"""The blk tracer: the life of disk requests. The guest records it (firmware/kernel/trace/blktrace.c)."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from emu.ftrace.arrays.options import Option
from emu.ftrace.tracers.tracer import TracedArray, Tracer

__all__ = ["BLK"]

_CLASSIC = "blk_classic"


class _Blk(Tracer):
    def keys(self, options: Mapping[str, bool]) -> Collection[str]:
        return ("blk_trace_key",)

    def option_changed(self, array: TracedArray, name: str, on: bool) -> None:
        if name == _CLASSIC:
            array.set_option("context-info", not on)


BLK = _Blk("blk", options=(Option(_CLASSIC, False),))
