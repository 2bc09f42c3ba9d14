# SPDX-License-Identifier: GPL-2.0-only
"""FUSE operations. Each becomes a request to the machine's thread. libfuse calls them in threads of its own.

Contents are not cached: files have no size, and their contents change by themselves. Names are cached for a second: programs
that walk through all events are twice as fast. A program that waits for data occupies a thread.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from functools import partial
from typing import Protocol

import mfusepy

from emu.kernel.files.node import Readiness, WouldBlock
from emu.mount.requests import Requests
from emu.mount.tree import MountedTree

__all__ = ["run"]

_NAMES_LAST = 1.0  # seconds
_MOST_THREADS = 1000  # the number of programs that can wait at the same time
_IDLE_THREADS = 10  # threads that are kept; libfuse 3.14 complains about its own default
_POLL_BITS = {Readiness.READABLE: 0x41, Readiness.WRITABLE: 0x104}  # POLLIN | POLLRDNORM, POLLOUT | POLLWRNORM

_libfuse = mfusepy._libfuse
_libfuse.fuse_notify_poll.argtypes = [ctypes.c_void_p]
_libfuse.fuse_pollhandle_destroy.argtypes = [ctypes.c_void_p]


def run(tree: MountedTree, requests: Requests, directory: str, ready: Callable[[], None]) -> None:
    """Mounts a tree and serves it through requests until it is unmounted. Calls `ready` when it is mounted.

    Raises:
        RuntimeError: libfuse could not mount it, and has printed why on standard error.
    """
    options: dict[str, object] = {"fsname": "tracefs", "subtype": "tracefs", "auto_unmount": True}
    options |= {"attr_timeout": _NAMES_LAST, "entry_timeout": _NAMES_LAST}
    if (mfusepy.fuse_version_major, mfusepy.fuse_version_minor) >= (3, 12):
        options |= {"max_threads": _MOST_THREADS, "max_idle_threads": _IDLE_THREADS}
    mfusepy.FUSE(_Operations(tree, requests, ready), directory, raw_fi=True, foreground=True, **options)


class _OpenFile(Protocol):
    """libfuse's struct fuse_file_info."""

    flags: int
    fh: int
    direct_io: bool


class _Operations(mfusepy.Operations):  # type: ignore[misc]  # mfusepy has no type annotations
    use_ns = True

    def __init__(self, tree: MountedTree, requests: Requests, ready: Callable[[], None]) -> None:
        self._tree = tree
        self._requests = requests
        self._ready = ready
        self._ask = partial(requests.ask, interrupted=lambda: bool(_libfuse.fuse_interrupted()))
        self._owner = os.getuid(), os.getgid()

    def init(self, path: str) -> None:
        self._ready()

    def getattr(self, path: str, fh: _OpenFile | None = None) -> dict[str, int]:
        found = self._ask(lambda: self._tree.attributes(path))
        owner, group = self._owner
        return {"st_mode": found.mode, "st_size": found.size, "st_nlink": found.nlink, "st_uid": owner, "st_gid": group}

    def readdir(self, path: str, fh: int) -> list[str | tuple[str, dict[str, int], int]]:
        found = self._ask(lambda: self._tree.entries(path))
        return [".", "..", *((name, {"st_mode": kind}, 0) for name, kind in found)]

    def open(self, path: str, flags: _OpenFile) -> int:
        flags.fh = self._ask(lambda: self._tree.open(path, flags.flags))
        flags.direct_io = True
        return 0

    def create(self, path: str, mode: int, fi: _OpenFile | None = None) -> int:
        self._ask(lambda: self._tree.create(path, mode))
        return 0

    def read(self, path: str, size: int, offset: int, fh: _OpenFile) -> bytes:
        number, wait = fh.fh, not fh.flags & os.O_NONBLOCK
        return self._ask(lambda: self._tree.read(number, size, offset, wait=wait))

    def write(self, path: str, data: bytes, offset: int, fh: _OpenFile) -> int:
        number = fh.fh
        return self._ask(lambda: self._tree.write(number, data, offset))

    def poll(self, path: str, fh: _OpenFile, ph: int | None, reventsp: ctypes._Pointer[ctypes.c_uint]) -> int:
        number = fh.fh

        def look() -> Readiness:
            ready = self._tree.poll(number)
            if ph is not None:
                self._requests.tell_when(partial(self._tell, number, ph))
            return ready

        ready = self._ask(look)
        reventsp[0] = sum(bits for flag, bits in _POLL_BITS.items() if flag in ready)
        return 0

    def _tell(self, number: int, poll_handle: int) -> WouldBlock | None:
        """Notifies the kernel when a file has become readable or is closed."""
        if self._tree.is_open(number):
            if Readiness.READABLE not in self._tree.poll(number):
                return WouldBlock()
            _libfuse.fuse_notify_poll(poll_handle)
        _libfuse.fuse_pollhandle_destroy(poll_handle)
        return None

    def ioctl(self, path: str, cmd: int, arg: object, fh: _OpenFile, flags: int, data: object) -> int:
        number = fh.fh
        self._ask(lambda: self._tree.ioctl(number, cmd))
        return 0

    def release(self, path: str, fh: _OpenFile) -> int:
        number = fh.fh
        self._ask(lambda: self._tree.release(number))
        return 0

    def truncate(self, path: str, length: int, fh: _OpenFile | None = None) -> int:
        """Does nothing: files have no size. They are truncated when they are opened."""
        return 0

    def utimens(self, path: str, times: object = None) -> int:
        """Does nothing: files have no times."""
        return 0

    def chmod(self, path: str, mode: int) -> int:
        self._ask(lambda: self._tree.set_mode(path, mode))
        return 0

    def mkdir(self, path: str, mode: int) -> int:
        self._ask(lambda: self._tree.make_directory(path, mode))
        return 0

    def rmdir(self, path: str) -> int:
        self._ask(lambda: self._tree.remove_directory(path))
        return 0

    def unlink(self, path: str) -> int:
        self._ask(lambda: self._tree.remove(path))
        return 0

    def statfs(self, path: str) -> dict[str, int]:
        return {"f_bsize": 4096, "f_namemax": 255}
