# SPDX-License-Identifier: GPL-2.0-only
"""The directory kprobes of debugfs: the list of kprobes, and whether they are armed."""

from __future__ import annotations

import errno
import stat

from emu.ftrace.errors import TraceError
from emu.ftrace.guest.own_globals import OwnGlobals
from emu.ftrace.sites.site_updates import PatchedFtrace
from emu.ftrace.tracefs.node import StaticDirectory
from emu.ftrace.tracefs.text_file import TextFile

__all__ = ["build_kprobes_tree"]

_TRUTH = {"1": True, "y": True, "on": True, "0": False, "n": False, "of": False}


def build_kprobes_tree(ftrace: PatchedFtrace, trace_globals: OwnGlobals) -> StaticDirectory:
    """The root directory."""
    kprobes, events, own = ftrace.kprobes, trace_globals.dynamic_events, trace_globals.guest_kprobes
    files = {
        "list": (0o400, TextFile(lambda: kprobes.text([*trace_globals.kprobe_events.disabled(events), *own.disabled()]))),
        "blacklist": (0o400, TextFile(kprobes.places.blacklist)),
        "enabled": (0o600, TextFile(lambda: f"{int(kprobes.enabled)}\n", lambda text: _enable(ftrace, text))),
    }
    for mode, file in files.values():
        file.mode = stat.S_IFREG | mode
    root = StaticDirectory({name: file for name, (_, file) in files.items()})
    root.mode = stat.S_IFDIR | 0o755
    return root


def _enable(ftrace: PatchedFtrace, text: str) -> None:
    """Sets a boolean, parsed as in Linux: by the first letter, or the first two letters of `on` and `off`."""
    word = text.lower()[: 2 if text[:1] in ("o", "O") else 1]
    if word not in _TRUTH:
        raise TraceError(errno.EINVAL, f"'{text.strip()}' is neither true nor false")
    ftrace.kprobes.enabled = _TRUTH[word]
    ftrace.update_sites()
