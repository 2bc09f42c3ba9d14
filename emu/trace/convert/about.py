# SPDX-License-Identifier: GPL-2.0-only
"""What a trace says of where it comes from."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from emu.trace.origin import origin_of

if TYPE_CHECKING:
    from emu.trace.trace import Trace

__all__ = ["about"]


def about(trace: Trace) -> dict[str, Any]:
    """What any file says, and of one of emu's what makes it again, with the command line as one text."""
    recording = trace.recording
    said = {"uname": recording.uname, "recorder": recording.version, "clock": trace.first.clock, "cpus": recording.cpu_count}
    origin = dict(origin_of(trace) or {})
    words = origin.pop("words", None)
    if isinstance(words, list) and all(isinstance(word, str) for word in words):
        origin["command"] = shlex.join(words)
    return {**said, **origin}
