# SPDX-License-Identifier: GPL-2.0-only
"""Runs programs that look for tracefs at its usual place on a mounted tree: in a mount namespace of their own.

In it, the tree is mounted over /sys/kernel/tracing, and its parts of /proc and /sys over the host's. A real tracefs must be
mounted below, and none elsewhere: libtracefs looks for the first such row in /proc/mounts.
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
_TIME = 10.0  # seconds for creating one


def inside(directory: Path, command: Sequence[str]) -> list[str]:
    """The words that execute a command with the tree mounted at `directory` as its tracefs. Its status is the command's.

    Raises:
        CannotMount: the program does not exist, or this user cannot create such a namespace.
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
