# SPDX-License-Identifier: GPL-2.0-only
"""Where a trace comes from."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from emu.trace.origin import origin_of

if TYPE_CHECKING:
    from emu.trace.trace import Trace

__all__ = ["about", "title_of"]


def about(trace: Trace) -> dict[str, object]:
    """The facts that any file has and, for a file of emu, what is needed to reproduce it, with the command line as one text."""
    recording = trace.recording
    said = {"uname": recording.uname, "recorder": recording.version, "clock": trace.first.clock, "cpus": recording.cpu_count}
    origin = dict(origin_of(trace) or {})
    words = origin.pop("words", None)
    if isinstance(words, list) and all(isinstance(word, str) for word in words):
        origin["command"] = f"emu record {shlex.join(words)}"
    return {**said, **origin}


def title_of(trace: Trace) -> str:
    """A picture's title: the command that recorded the trace, or the system on which it was recorded."""
    said = about(trace)
    return str(said.get("command") or said["uname"] or "trace")
