# SPDX-License-Identifier: GPL-2.0-only
"""How programs that look for tracefs in its usual place find a mounted tree: in a mount namespace of their own.

There the tree lies over /sys/kernel/tracing, and what it has of /proc and of /sys, over the host's. A real tracefs must be
mounted below it, and no other one elsewhere: the first row in /proc/mounts is what libtracefs looks for.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from emu.mount.host import OWN, CannotMount

__all__ = ["inside"]

_TRACING = "/sys/kernel/tracing"
_COVERED = ("proc/kallsyms", "proc/sys/kernel", "sys/devices/system/cpu/possible", "sys/devices/system/cpu/online")
_TRACEFS = f"grep -q ' {_TRACING} tracefs ' /proc/mounts || mount -t tracefs nodev {_TRACING}"
_ENTER = f"""\
tree=$1
shift
for place in $(awk '$3 == "tracefs" && $2 != "{_TRACING}" {{ print $2 }}' /proc/mounts); do
	umount -l "$(printf %b "$place")" || exit 2
done
{{ {_TRACEFS}; }} && mount --bind "$tree" {_TRACING} || exit 2
for place in {" ".join(_COVERED)}; do
	mount --bind "$tree/{OWN}/$place" "/$place" || exit 2
done
PATH={_TRACING}/{OWN}/bin:$PATH
exec "$@"
"""
_NEEDED = "trace-cmd needs a mount namespace with a tracefs: run it as root, of a host whose kernel has tracefs"
_TIME = 10.0  # seconds that one may take to be made


def inside(directory: Path, command: Sequence[str]) -> list[str]:
    """The words that execute a command where the tree mounted at `directory` is the tracefs. Its status is the command's.

    Raises:
        CannotMount: there is no such program, or this user cannot make such a place.
    """
    for program in (command[0], "unshare"):
        if shutil.which(program) is None:
            raise CannotMount(f"{program} is not installed")
    namespace = ["unshare", "--mount", "--propagation", "private"]
    if os.geteuid():
        namespace.append("--map-root-user")
    tried = subprocess.run([*namespace, "sh", "-c", _TRACEFS], capture_output=True, text=True, check=False, timeout=_TIME)
    if tried.returncode:
        why = (tried.stderr.strip().splitlines() or ["it cannot be made"])[0]
        raise CannotMount(f"{_NEEDED} ({why})")
    return [*namespace, "sh", "-c", _ENTER, "emu", str(directory.absolute()), *command]
