# SPDX-License-Identifier: GPL-2.0-only
"""TraceFS: Python's access to the tracefs tree, with one call for each `echo` or `cat` of a shell."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from emu.cpu.host_signals import Held
from emu.ftrace.errors import TraceError
from emu.kernel.files.file_request import component
from emu.kernel.files.node import Directory, Handle, Node, OpenFlags, WouldBlock

__all__ = ["TraceFS"]

_MODE = 0o755  # of a new directory, as with mkdir


class TraceFS:
    """A tracefs tree by path, for a machine that stands still between calls.

    >>> machine.tracefs.write("current_tracer", "function")
    >>> machine.tracefs.append("set_ftrace_filter", "vfs_*")
    >>> machine.tracefs.read("tracing_on")
    '1\\n'

    Args:
        settle: called with two limits after each operation that may have changed something; runs the machine until the change
            is complete.
        check: called before each operation; raises if the machine is closed.
        acting: a context for the operations that may change something.

    Methods that change something run the machine until its call sites have been patched. This may take `limit`
    nanoseconds of virtual time and `host_limit` seconds of the host's time; None: no limit, but see Machine.settle.

    Raises, from any method:
        TraceError: has the errno that a process in the guest would get, and `path`.

    Raises, from methods that change something:
        GuestPanic, LimitReached, PoweredOff: as Machine.settle. The written data stays.
    """

    def __init__(
        self,
        root: Directory,
        settle: Callable[[int | None, float | None], None] = lambda limit, host_limit: None,
        check: Callable[[], None] = lambda: None,
        acting: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self.root = root
        self._settle = settle
        self._check = check
        self._acting = acting

    def __repr__(self) -> str:
        return '<tracefs: listdir() names its files, read("README") explains them>'

    def read(self, path: str) -> str:
        """`cat path`, but without waiting for more data."""
        return b"".join(self.read_pieces(path)).decode(errors="surrogateescape")

    def read_pieces(self, path: str) -> Iterator[bytes]:
        """The text that `read` returns, in pieces, since a trace may be long. The machine must not run before the last piece."""
        with self._opened(path, OpenFlags.READ) as handle:
            offset = 0
            while True:
                piece = handle.read(offset, sys.maxsize)
                if isinstance(piece, WouldBlock) or not piece:
                    return
                yield piece
                offset += len(piece)

    def write(self, path: str, text: str, *, limit: int | None = None, host_limit: float | None = None) -> None:
        """`echo text > path`."""
        self._write(path, text, OpenFlags.WRITE | OpenFlags.TRUNCATE, limit, host_limit)

    def append(self, path: str, text: str, *, limit: int | None = None, host_limit: float | None = None) -> None:
        """`echo text >> path`."""
        self._write(path, text, OpenFlags.WRITE | OpenFlags.APPEND, limit, host_limit)

    def listdir(self, path: str = "") -> list[str]:
        with _naming(path):
            return [name for name, _ in self.directory(path).entries()]

    def mkdir(self, path: str, *, limit: int | None = None, host_limit: float | None = None) -> None:
        self._in_parent(path, lambda parent, name: parent.mkdir(name, _MODE), limit, host_limit)

    def rmdir(self, path: str, *, limit: int | None = None, host_limit: float | None = None) -> None:
        self._in_parent(path, lambda parent, name: parent.rmdir(name), limit, host_limit)

    def exists(self, path: str) -> bool:
        try:
            self.node(path)
        except OSError:
            return False
        return True

    def with_root(self, root: Directory) -> TraceFS:
        """The same machine's TraceFS for another tree."""
        return TraceFS(root, self._settle, self._check, self._acting)

    def node(self, path: str) -> Node:
        """The node at a path."""
        self._check()
        node: Node = self.root
        for name in path.split("/"):
            if name in ("", "."):
                continue
            if not isinstance(node, Directory):
                raise TraceError(errno.ENOTDIR, "is not a directory")
            node = node.lookup(name)
        return node

    def directory(self, path: str) -> Directory:
        """The directory at a path."""
        node = self.node(path)
        if not isinstance(node, Directory):
            raise TraceError(errno.ENOTDIR, "is not a directory")
        return node

    @contextmanager
    def changing(self, path: str, limit: int | None = None, host_limit: float | None = None) -> Iterator[None]:
        """A context in which the body may change something through the file at `path`. Settles afterwards.

        Other OSErrors, such as the console's, are passed on unchanged if they are raised while the machine runs.
        """
        with self._acting(), Held(), _naming(path):
            yield
        try:
            self._settle(limit, host_limit)
        except TraceError as error:
            error.path = path
            raise

    def _write(self, path: str, text: str, flags: OpenFlags, limit: int | None, host_limit: float | None) -> None:
        data = text.encode(errors="surrogateescape")
        if not data.endswith(b"\n"):
            data += b"\n"
        with self.changing(path, limit, host_limit), self._opened(path, flags) as handle:
            while data:
                data = data[handle.write(0, data) :]

    def _in_parent(
        self, path: str, operation: Callable[[Directory, str], object], limit: int | None, host_limit: float | None
    ) -> None:
        parent, _, name = path.strip("/").rpartition("/")
        with self.changing(path, limit, host_limit):
            operation(self.directory(parent), component(os.fsencode(name)))

    @contextmanager
    def _opened(self, path: str, flags: OpenFlags) -> Iterator[Handle]:
        with _naming(path):
            handle = self.node(path).open(flags)
            try:
                yield handle
            finally:
                handle.release()


@contextmanager
def _naming(path: str) -> Iterator[None]:
    """Adds the file's path to errors that the body raises."""
    try:
        yield
    except OSError as error:
        failed = error if isinstance(error, TraceError) else TraceError(error.errno or errno.EIO, error.strerror or "")
        failed.path = failed.path or path
        raise failed from None
