# SPDX-License-Identifier: GPL-2.0-only
"""Folded stacks, the input of many flame graph tools: lines like `ls;vfs_read;ext4_file_read_iter 1234`."""

from __future__ import annotations

from collections.abc import Iterator

from emu.trace.convert.options import ConvertOptions
from emu.trace.convert.stacks import stacks
from emu.trace.trace import Trace

__all__ = ["folded"]


def folded(trace: Trace, options: ConvertOptions) -> Iterator[bytes]:
    """The lines in alphabetical order. Weights: nanoseconds on or off the CPU; for events' stack traces, their number.

    Raises:
        CannotConvert: the trace has neither calls nor stack traces or, for time off the CPU, no switches with stack traces.
    """
    found = stacks(trace, options)
    names = [name.replace(";", ":") for name in found.names]
    paths: list[str] = []
    for parent, frame in zip(found.parent.tolist(), found.frame.tolist(), strict=True):
        paths.append(names[frame] if parent < 0 else f"{paths[parent]};{names[frame]}")
    lines = [f"{path} {own}\n" for path, own in zip(paths, found.own.tolist(), strict=True) if own]
    yield "".join(sorted(lines)).encode(errors="replace")
