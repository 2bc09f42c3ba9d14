# SPDX-License-Identifier: GPL-2.0-only
"""The host's tree of tracefs for a Linux guest: the files of any kernel. Those that make no sense from outside are refused."""

from __future__ import annotations

import errno
from collections.abc import Mapping

from emu.ftrace.arrays.trace_array import TraceArray
from emu.ftrace.errors import TraceError
from emu.ftrace.tracefs.dynamic_events_file import dynamic_events_files
from emu.ftrace.tracefs.node import HandleFile, StaticDirectory
from emu.ftrace.tracefs.tree import build_tree
from emu.kernel.files.node import Handle, OpenFlags

__all__ = ["REFUSED", "build_outside_tree"]

_INSIDE = "the host only looks at a Linux guest; the guest's own tracefs has it"
_EVENTS = f"no events of a Linux guest are defined from outside; {_INSIDE.partition('; ')[2]}"

REFUSED: Mapping[str, str] = {
    **dict.fromkeys(("uprobe_events", "uprobe_profile"), _EVENTS),
    "eval_map": _INSIDE,  # of the events' print formats
    "hwlat_detector": _INSIDE,  # its threads run in the kernel
    "osnoise": _INSIDE,  # likewise
    "printk_formats": _INSIDE,  # trace_printk() writes to the guest's own buffers
    "hardware_events": "the timing model static counts nothing that could be sampled",
}
"""The files of Linux, or of emu's own kernel, that a Linux guest's tree does not have, and why."""


def build_outside_tree(tr: TraceArray) -> StaticDirectory:
    """The root directory of the top array, `tr`."""
    files = dynamic_events_files(tr, ("kprobe_events", "synthetic_events"))
    return build_tree(tr, files, {name: _refused(name, why) for name, why in REFUSED.items()})


def _refused(name: str, why: str) -> HandleFile:
    """A file that cannot be opened."""

    def opened(flags: OpenFlags) -> Handle:
        raise TraceError(errno.EOPNOTSUPP, f"{name}: {why}")

    return HandleFile(0o440, opened)
