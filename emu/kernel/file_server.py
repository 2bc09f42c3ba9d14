# SPDX-License-Identifier: GPL-2.0-only
"""The file server: answers the guest's requests for files of trees that the host has.

A request is a struct file_request in the guest's memory (firmware/include/emu/file_server.h), with its names and data in pages
that it lists. What cannot be answered at once waits here, while the guest's task sleeps and its CPUs go on; the device
interrupt has the guest ask which of them has been answered.
"""

from __future__ import annotations

import errno
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from emu.cpu.board import Board
from emu.cpu.cpu import Cpu
from emu.kernel.file_request import FileRequest, RequestFormat
from emu.kernel.host_calls import host_call
from emu.kernel.memory import GuestMemory
from emu.kernel.served_tree import Attributes, Blocked, Entry, OpenFlags, Readiness, ServedHandle, ServedTree

__all__ = ["FileServer"]

_NODE_BITS = 40  # of a node's number in its tree; the bits above name the tree
_MOST_HANDLES = 4096
_SAME_EVERYWHERE = errno.ERANGE  # error numbers up to here are those of every Linux


@dataclass
class _OpenHandle:
    handle: ServedHandle
    entries: list[Entry] | None = None  # of a directory, as they were when its reader began


@dataclass
class _Waiting:
    request: FileRequest
    blocked: Blocked[Any]
    store: Callable[[FileRequest, Any], int]


class FileServer:
    """Serves `trees`, each mounted by its name.

    Attributes:
        caller: the CPU whose request is being answered; None outside requests.
    """

    def __init__(self, board: Board, memory: GuestMemory) -> None:
        self._board = board
        self._image = image = memory.image
        self._format = RequestFormat(memory)
        self._trees: dict[bytes, int] = {}
        self._served: list[ServedTree] = []
        self._handles: dict[int, _OpenHandle] = {}
        self._last_handle = 0
        self._waiting: dict[int, _Waiting] = {}  # by the request's address, the oldest first
        self.caller: Cpu | None = None
        operations: dict[str, tuple[Callable[[FileRequest], Any], Callable[[FileRequest, Any], int]]] = {
            "FS_ROOT": (self._root, self._put_root),
            "FS_LOOKUP": (lambda r: self._in(r).lookup(r.node, r.name()), FileRequest.put_attributes),
            "FS_GETATTR": (lambda r: self._in(r).attributes(r.node), FileRequest.put_attributes),
            "FS_SETATTR": (self._set_attributes, FileRequest.put_attributes),
            "FS_READDIR": (self._read_directory, FileRequest.put_result),
            "FS_OPEN": (self._open, FileRequest.put_handle),
            "FS_READ": (lambda r: self._handle(r).handle.read(r.offset, r.room()), FileRequest.put_data),
            "FS_WRITE": (lambda r: self._handle(r).handle.write(r.offset, r.data()), FileRequest.put_result),
            "FS_POLL": (self._poll, FileRequest.put_result),
            "FS_RELEASE": (self._release, FileRequest.put_nothing),
            "FS_CREATE": (lambda r: self._in(r).create(r.node, r.name(), r.mode), FileRequest.put_attributes),
            "FS_MKDIR": (lambda r: self._in(r).mkdir(r.node, r.name(), r.mode), FileRequest.put_attributes),
            "FS_SYMLINK": (lambda r: self._in(r).symlink(r.node, *r.name_and_text()), FileRequest.put_attributes),
            "FS_LINK": (lambda r: self._in(r).link(r.node, r.name(), self._other(r)), FileRequest.put_attributes),
            "FS_UNLINK": (lambda r: self._in(r).unlink(r.node, r.name()), FileRequest.put_nothing),
            "FS_RMDIR": (lambda r: self._in(r).rmdir(r.node, r.name()), FileRequest.put_nothing),
            "FS_RENAME": (self._rename, FileRequest.put_nothing),
            "FS_READLINK": (lambda r: self._in(r).readlink(r.node), FileRequest.put_data),
        }
        self._operations = {image.offset(name): operation for name, operation in operations.items()}
        self._answered, self._wait, self._wait_done = (
            image.offset(name) for name in ("FS_ANSWERED", "FS_WAIT", "FS_WAIT_DONE")
        )
        self._open_flags = [(image.offset(f"FS_OPEN_{flag.name}"), flag) for flag in OpenFlags]
        self._open_stream = image.offset("FS_OPEN_STREAM")
        self._nonblock, self._read_only = image.offset("FS_NONBLOCK"), image.offset("FS_READ_ONLY")
        self._set_mode, self._set_size, self._set_mtime = (
            image.offset(name) for name in ("FS_SET_MODE", "FS_SET_SIZE", "FS_SET_MTIME")
        )
        self._readiness = [
            (image.offset("FS_READABLE"), Readiness.READABLE), (image.offset("FS_WRITABLE"), Readiness.WRITABLE)
        ]  # fmt: skip

    def serve(self, name: str, tree: ServedTree) -> None:
        """Makes a tree known by the name that the guest mounts it by."""
        self._trees[name.encode()] = len(self._served)
        self._served.append(tree)

    def close(self) -> None:
        """Lets go of everything that the guest has open, without its saying so."""
        for open_handle in self._handles.values():
            open_handle.handle.release()
        self._handles.clear()
        self._waiting.clear()

    def changed(self) -> None:
        """Something that operations wait for may have happened: the guest asks again, on the CPU whose turn it is."""
        cpu = self._board.current
        cpu.raise_interrupt(self._image.offset("HOST_DEVICE_VECTOR"), cpu.cycles)

    @property
    def waited_for(self) -> bool:
        """Whether an operation waits."""
        return bool(self._waiting)

    # Host calls

    @host_call
    def file_request(self, cpu: Cpu, address: int) -> int:
        """FS_ANSWERED, FS_WAIT, FS_WAIT_DONE, or -errno if that is no request.

        Raises:
            LookupError: its address is not the kernel's.
        """
        if address in self._waiting:
            return -errno.EINVAL
        request = FileRequest(self._format, address)
        operation = self._operations.get(request.op)
        if operation is None:
            request.finish(-self._errno(errno.ENOSYS))
            return self._answered
        ask, store = operation
        self.caller = cpu
        try:
            outcome = ask(request)
            if not isinstance(outcome, Blocked):
                request.finish(store(request, outcome))
                return self._answered
        except OSError as error:
            request.finish(-self._errno(error.errno))
            return self._answered
        finally:
            self.caller = None
        if request.flags & self._nonblock and not outcome.begun:
            request.finish(-errno.EAGAIN)
            return self._answered
        self._waiting[address] = _Waiting(request, outcome, store)
        return self._wait_done if outcome.begun else self._wait

    @host_call
    def file_answered(self, cpu: Cpu) -> int:
        """The address of a request that waited and has its answer now; 0 if there is none."""
        for address, waiting in self._waiting.items():
            if self._try_again(waiting):
                del self._waiting[address]
                return address
        return 0

    @host_call
    def file_cancel(self, cpu: Cpu, address: int) -> int:
        """The request is given up. -ENOENT if it does not wait, -EBUSY if it has to be waited for."""
        waiting = self._waiting.get(address)
        if waiting is None:
            return -errno.ENOENT
        if waiting.blocked.begun:
            return -errno.EBUSY
        del self._waiting[address]
        return 0

    def _try_again(self, waiting: _Waiting) -> bool:
        try:
            outcome = waiting.blocked.again()
            if isinstance(outcome, Blocked):
                waiting.blocked = outcome
                return False
            waiting.request.finish(waiting.store(waiting.request, outcome))
        except OSError as error:
            waiting.request.finish(-self._errno(error.errno))
        return True

    # What requests ask for

    def _in(self, request: FileRequest) -> Any:
        """The tree of the request's node, whose number becomes the tree's own."""
        index, node = request.node >> _NODE_BITS, request.node & (1 << _NODE_BITS) - 1
        if index >= len(self._served):
            raise OSError(errno.ESTALE, "no such tree")
        request.node, request.tree = node, index << _NODE_BITS
        return self._served[index]

    def _other(self, request: FileRequest) -> int:
        """The second node, which must be of the same tree."""
        if request.other >> _NODE_BITS << _NODE_BITS != request.tree:
            raise OSError(errno.EXDEV, "another tree")
        return request.other & (1 << _NODE_BITS) - 1

    def _handle(self, request: FileRequest) -> _OpenHandle:
        try:
            return self._handles[request.handle]
        except KeyError:
            raise OSError(errno.EBADF, "not open") from None

    def _root(self, request: FileRequest) -> Any:
        index = self._trees.get(request.data())
        if index is None:
            raise OSError(errno.ENODEV, "there is no such tree")
        request.tree = index << _NODE_BITS
        return self._served[index].root()

    def _put_root(self, request: FileRequest, attributes: Attributes) -> int:
        request.put_attributes(attributes)
        return self._read_only if self._served[request.tree >> _NODE_BITS].read_only else 0

    def _set_attributes(self, request: FileRequest) -> Any:
        tree, flags = self._in(request), request.flags
        return tree.set_attributes(
            request.node,
            request.mode if flags & self._set_mode else None,
            request.size if flags & self._set_size else None,
            request.mtime_ns if flags & self._set_mtime else None,
        )

    def _open(self, request: FileRequest) -> tuple[int, int]:
        flags = OpenFlags(0)
        for bit, flag in self._open_flags:
            if request.flags & bit:
                flags |= flag
        if len(self._handles) >= _MOST_HANDLES:
            raise OSError(errno.ENFILE, "too many files are open")
        handle = self._in(request).open(request.node, flags)
        self._last_handle += 1
        self._handles[self._last_handle] = _OpenHandle(handle)
        return self._last_handle, self._open_stream if handle.stream else 0

    def _read_directory(self, request: FileRequest) -> int:
        directory = self._handle(request)
        if directory.entries is None or request.offset == 0:
            directory.entries = list(directory.handle.entries())
        return request.put_entries(directory.entries, request.offset)

    def _poll(self, request: FileRequest) -> int:
        ready = self._handle(request).handle.poll()
        return sum(bit for bit, flag in self._readiness if flag in ready)

    def _release(self, request: FileRequest) -> Any:
        directory = self._handle(request)
        del self._handles[request.handle]
        return directory.handle.release()

    def _rename(self, request: FileRequest) -> Any:
        tree = self._in(request)
        old, new = request.two_names()
        return tree.rename(request.node, old, self._other(request), new)

    def _errno(self, number: int | None) -> int:
        """A host's error number as the guest's architecture has it. What it does not know is an I/O error."""
        if number is not None and number <= _SAME_EVERYWHERE:
            return number
        name = errno.errorcode.get(number or 0, "")
        if name not in self._image.layout:
            return errno.EIO
        return self._image.offset(name)
