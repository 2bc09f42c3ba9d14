# SPDX-License-Identifier: GPL-2.0-only
"""The host's tree of tracefs for a Linux guest: the files of any kernel. Those that make no sense from outside are refused."""

from __future__ import annotations

import errno
from collections.abc import Mapping

from emu.ftrace.arrays.trace_array import TraceArray
from emu.ftrace.errors import TraceError
from emu.ftrace.numbers import parse_decimal
from emu.ftrace.tracefs.dynamic_events_file import dynamic_events_files
from emu.ftrace.tracefs.node import HandleFile, StaticDirectory
from emu.ftrace.tracefs.text_file import TextFile
from emu.ftrace.tracefs.tree import build_tree
from emu.kernel.files.node import Handle, OpenFlags
from emu.linux.tracing.outside_globals import OutsideGlobals

__all__ = ["REFUSED", "build_outside_tree"]

_INSIDE = "the host only looks at a Linux guest; the guest's own tracefs has it"

_LONGEST_STRING = 165  # characters, as in Linux

REFUSED: Mapping[str, str] = {
    "eval_map": _INSIDE,  # of the events' print formats
    "hwlat_detector": _INSIDE,  # its threads run in the kernel
    "osnoise": _INSIDE,  # likewise
    "printk_formats": _INSIDE,  # trace_printk() writes to the guest's own buffers
    "hardware_events": "the timing model static counts nothing that could be sampled",
}
"""The files of Linux, or of emu's own kernel, that a Linux guest's tree does not have, and why."""


def build_outside_tree(tr: TraceArray, shared: OutsideGlobals) -> StaticDirectory:
    """The root directory of the top array, `tr`. `shared`: what all arrays share."""
    files = {
        **dynamic_events_files(tr, ("kprobe_events", "uprobe_events", "synthetic_events")),
        "syscall_user_buf_size": _string_size_file(tr, shared),
    }
    return build_tree(tr, files, {name: _refused(name, why) for name, why in REFUSED.items()})


def _string_size_file(tr: TraceArray, shared: OutsideGlobals) -> TextFile:
    """The file of Linux 6.19. There it is 63 at first; here it is 0, because older kernels' events have no strings."""

    def store(text: str) -> None:
        size = parse_decimal(text)
        if size > _LONGEST_STRING:
            raise TraceError(errno.EINVAL, f"of a string, at most {_LONGEST_STRING} characters are recorded, not {size}")
        tr.ftrace.events_gone(shared.record_strings(size))

    return TextFile(lambda: f"{shared.syscalls.string_size}\n", store)


def _refused(name: str, why: str) -> HandleFile:
    """A file that cannot be opened."""

    def opened(flags: OpenFlags) -> Handle:
        raise TraceError(errno.EOPNOTSUPP, f"{name}: {why}")

    return HandleFile(0o440, opened)
