# SPDX-License-Identifier: GPL-2.0-only
"""Mounts the host's programs and libraries in the guest, at /usr, /lib, /lib64 and /bin, so that dynamic programs run.

The guest mounts the host's folders read-only. Its own /bin and /lib move to /guest. Its new /bin, /lib and /lib64 have links
to the guest's own programs and modules, and otherwise to the host's. So a script may begin with #!/bin/zsh, and a library
is one file, whatever path leads to it. PATH has the guest's own programs first: host programs that need more of a kernel
than the guest offers, such as `ps` or `modprobe`, do not hide them. The guest's bash is only another name of its sh, and is
replaced by the host's.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from emu.kernel.cpio import read_entries
from emu.kernel.files.links import Links
from emu.kernel.files.node import Directory
from emu.kernel.files.shared_folder import SharedFolder

__all__ = ["BadHostTree", "HostTree"]

_USR = "/usr"
_LINKED = ("/bin", "/lib", "/lib64")  # Debian's and Fedora's are links into /usr
_ALTERNATIVES = "/etc/alternatives"  # links of Debian's /usr/bin lead through it: awk, which
_HOST = "/host"  # mount point for those of /bin, /lib and /lib64 that are folders
_GUEST = "/guest"
_SHARED_MEMORY = "/dev/shm"  # glibc keeps named semaphores here
_STAND_INS = ("bin/bash",)  # files of the guest that are replaced by the host's


class BadHostTree(ValueError):
    """The guest cannot execute the host's programs."""


class _Mount(NamedTuple):
    name: str  # of the tree
    guest: str  # mount point in the guest
    root: Directory


class HostTree:
    """Trees of the host for the guest to mount.

    Attributes:
        parameters: words of the kernel's command line.

    Args:
        arch: the name of the guest's architecture.
        initramfs: the guest's own files.
        host: the root of the host's tree.

    Raises:
        BadHostTree: the host has another architecture.
        OSError: a folder of the host cannot be opened.
    """

    parameters = f"PATH={_GUEST}/bin:/bin:/usr/local/bin:/usr/bin"

    def __init__(self, arch: str, initramfs: bytes, host: Path = Path("/")) -> None:
        if arch != platform.machine():
            raise BadHostTree(f"the host's programs are for {platform.machine()}, and this guest is {arch}: no host tree")
        self._host = host
        own = [entry.name for entry in read_entries(initramfs)]
        self._folders: list[SharedFolder] = []
        self._moved = {f"/{name}" for name in own}.intersection(_LINKED)
        self._replaced: list[str] = []  # new paths of the guest's files that are moved away
        self._mounts = [
            *(mount for guest in (_USR, _ALTERNATIVES) for mount in self._folder(guest, guest)),
            *(mount for guest in _LINKED for mount in self._linked(guest, own)),
        ]

    def close(self) -> None:
        """Closes the folders. Open files can still be used."""
        for folder in self._folders:
            folder.close()

    @property
    def trees(self) -> Iterable[tuple[str, Directory]]:
        """The trees to mount, by name."""
        return [(mount.name, mount.root) for mount in self._mounts]

    @property
    def folders(self) -> list[tuple[str, Path]]:
        """The host folders and their paths in the guest, which apply where the guest has nothing of its own."""
        return [(guest, self._host / guest.lstrip("/")) for guest in (_USR, *_LINKED)]

    @property
    def set_up(self) -> str:
        """A line for the guest's shell, using the guest's own programs."""
        points = " ".join(mount.guest for mount in self._mounts)
        commands = [
            f"mkdir -p {_GUEST} {_SHARED_MEMORY}",
            *(f"mv {mount.guest} {_GUEST}" for mount in self._mounts if mount.guest in self._moved),
            *(f"rm {file}" for file in self._replaced),
            *([f"mkdir -p {points}"] if points else []),
            *(f"mount -t hostfs -o ro {mount.name} {mount.guest}" for mount in self._mounts),
        ]
        return " && ".join(commands)

    def digest(self) -> str:
        """A digest of the host files that the guest has opened: their names, sizes and times."""
        found = sorted(line for folder in self._folders for line in folder.opened)
        return hashlib.sha256("\n".join(found).encode(errors="surrogateescape")).hexdigest()

    def _folder(self, host: str, guest: str) -> Iterator[_Mount]:
        """A folder of the host, if it exists."""
        path = self._host / host.lstrip("/")
        if path.is_dir():
            folder = SharedFolder(path)
            self._folders.append(folder)
            yield _Mount(f"host{host.replace('/', '-')}", guest, folder.root)

    def _linked(self, name: str, own: Iterable[str]) -> Iterator[_Mount]:
        """Links to the contents of a host folder, and to the guest's own files there."""
        path = self._host / name.lstrip("/")
        if not path.is_dir():
            return
        usr = (self._host / _USR.lstrip("/")).resolve()
        if path.resolve().is_relative_to(usr):
            where = f"{_USR}/{path.resolve().relative_to(usr)}"
        else:
            where = f"{_HOST}{name}"
            yield from self._folder(name, where)
        mine = {}
        for entry in own:
            folder, _, file = entry.rpartition("/")
            if f"/{folder}" != name:
                continue
            if entry in _STAND_INS and (path / file).exists():
                self._replaced.append(f"{_GUEST}/{entry}")
            else:
                mine[file] = f"{_GUEST}{name}/{file}"
        yield _Mount(f"links{name.replace('/', '-')}", name, Links(path, where, mine))
