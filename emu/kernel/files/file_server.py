# SPDX-License-Identifier: GPL-2.0-only
"""The file server: answers the guest's requests for files in trees of the host.

A request is a struct file_request in the guest's memory (firmware/include/emu/file_server.h), with names and data in the pages
that it lists. A request that cannot be answered at once waits here, while the guest's task sleeps and its CPUs continue.
The device interrupt makes the guest ask for answered requests.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from emu.cpu.board import Board
from emu.cpu.cpu import Cpu
from emu.cpu.journal import Journal
from emu.kernel.files.file_request import Entry, FileRequest, RequestFormat
from emu.kernel.files.node import Directory, Handle, LoggedError, Node, OpenFlags, Readiness, WouldBlock
from emu.kernel.files.served_tree import ServedTree
from emu.kernel.files.shared_folder import SharedFolder, SharedNode
from emu.kernel.host_calls import host_call
from emu.kernel.kernel_log import KernelLog
from emu.kernel.memory import GuestMemory

__all__ = ["FileServer"]

_NODE_BITS = 40  # of a node's number in its tree; the higher bits identify the tree
_NODE_MASK = (1 << _NODE_BITS) - 1
_MOST_HANDLES = 4096
_PAUSE_NS = 1_000_000


def _when_done(working: Sequence[ServedTree], result: int) -> int | WouldBlock:
    """The result of an operation that has started work, once the work is done. Raises OSError: the work could not be done."""
    if any(tree.busy() for tree in working):
        return WouldBlock()
    for tree in working:
        tree.check()
    return result


@dataclass
class _OpenNode:
    tree: ServedTree
    node: Node
    handle: Handle
    entries: list[Entry] | None = None  # of a directory, when its reader began
    waits: bool = False  # whether a reader or poller has found nothing and waits

    def found(self, something: bool, wait: Callable[..., None]) -> None:
        """Notes whether a reader or poller has found something; if not, it waits."""
        if not something:
            wait(again=self.waits)
        self.waits = not something


@dataclass
class _Waiting:
    request: FileRequest
    attempt: Callable[[], int | WouldBlock]  # returns the request's result, once there is one
    begun: bool  # whether the operation is done and only the work that it started continues: it cannot be cancelled


class FileServer:
    """Serves trees, each mounted by name.

    Args:
        board: the machine.
        memory: the guest's memory.
        log: the guest kernel's log.

    Attributes:
        caller: the CPU whose request is being answered; None at other times.
    """

    def __init__(self, board: Board, memory: GuestMemory, log: KernelLog) -> None:
        self._board = board
        self._log = log
        self._image = image = memory.image
        self._format = RequestFormat(memory)
        self._names: dict[bytes, int] = {}
        self._trees: list[ServedTree] = []
        self._open_nodes: dict[int, _OpenNode] = {}
        self._last_handle = 0
        self._waiting: dict[int, _Waiting] = {}  # by the request's address, oldest first
        self.caller: Cpu | None = None
        operations: dict[str, Callable[[FileRequest], int | WouldBlock]] = {
            "FS_ROOT": self._root,
            "FS_LOOKUP": lambda r: self._put_node(r, self._directory(r.node).lookup(r.name())),
            "FS_GETATTR": lambda r: self._put_node(r, self._node(r.node)),
            "FS_SETATTR": self._set_attributes,
            "FS_READDIR": self._read_directory,
            "FS_OPEN": self._open,
            "FS_READ": self._read,
            "FS_WRITE": lambda r: self._opened(r).handle.write(r.offset, r.data()),
            "FS_POLL": self._poll,
            "FS_RELEASE": self._release,
            "FS_CREATE": lambda r: self._put_node(r, self._directory(r.node).create(r.name(), r.mode)),
            "FS_MKDIR": lambda r: self._put_node(r, self._directory(r.node).mkdir(r.name(), r.mode)),
            "FS_SYMLINK": lambda r: self._put_node(r, self._directory(r.node).symlink(*r.name_and_text())),
            "FS_LINK": lambda r: self._put_node(r, self._directory(r.node).link(r.name(), self._node(self._other(r)))),
            "FS_UNLINK": self._unlink,
            "FS_RMDIR": self._rmdir,
            "FS_RENAME": self._rename,
            "FS_SPLICE": self._splice,
            "FS_IOCTL": lambda r: self._opened(r).handle.ioctl(r.offset),
            "FS_READLINK": lambda r: r.put_data(os.fsencode(self._node(r.node).readlink())),
        }
        self._operations = {image.constant(name): operation for name, operation in operations.items()}
        self._answered, self._wait = image.constant("FS_ANSWERED"), image.constant("FS_WAIT")
        self._wait_done = image.constant("FS_WAIT_DONE")
        self._open_flags = [(image.constant(f"FS_OPEN_{flag.name}"), flag) for flag in OpenFlags]
        self._readiness = [(image.constant(f"FS_{flag.name}"), flag) for flag in Readiness]
        self._open_stream = image.constant("FS_OPEN_STREAM")
        self._nonblock, self._read_only = image.constant("FS_NONBLOCK"), image.constant("FS_READ_ONLY")
        self._set_mode, self._set_size = image.constant("FS_SET_MODE"), image.constant("FS_SET_SIZE")
        self._set_mtime = image.constant("FS_SET_MTIME")

    def serve(self, name: str, tree: ServedTree) -> None:
        """Makes a tree available to be mounted by name."""
        self._names[name.encode()] = len(self._trees)
        self._trees.append(tree)

    def keep(self, journal: Journal) -> list[SharedFolder]:
        """From now on, a journal has what the guest does to files in the host's folders. Returns these."""
        folders = [tree.root.folder for tree in self._trees if isinstance(tree.root, SharedNode)]
        for folder in folders:
            folder.journal = journal
        return folders

    def close(self) -> None:
        """Releases all handles that the guest has open."""
        for opened in self._open_nodes.values():
            opened.handle.release()
        self._open_nodes.clear()
        self._waiting.clear()

    def changed(self, *, again: bool = False) -> None:
        """Interrupts the current CPU, so that the guest asks for answers: a request's wait may be over.

        `again`: the guest was interrupted for this before, so there is a pause before the next interrupt.
        """
        cpu = self._board.current
        cpu.raise_interrupt(self._image.constant("HOST_DEVICE_VECTOR"), self.after_pause() if again else cpu.cycles)

    def after_pause(self) -> int:
        """The earliest cycle at which the guest may be interrupted again.

        The interrupt handler's own functions may be traced, probed or replaced. This may cause the next interrupt: if it came at
        once, the CPU would do nothing else.
        """
        return self._board.current.cycles + self._board.cycles(_PAUSE_NS)

    def done(self) -> None:
        """Something is done that requests may wait for. If none waits, there is no interrupt: it could cause more events."""
        if self._waiting:
            self.changed()

    # Host calls

    @host_call
    def file_request(self, cpu: Cpu, address: int) -> int:
        """Answers a request, or lets it wait. Returns FS_ANSWERED, FS_WAIT or FS_WAIT_DONE; -EINVAL if it waits already.

        Raises:
            LookupError: its address is outside the kernel's memory.
        """
        if address in self._waiting:
            return -errno.EINVAL
        request = FileRequest(self._format, address)
        begun = [tree.begun() for tree in self._trees]
        self.caller = cpu
        try:
            result = self._perform(request)
        except OSError as error:
            result = self._failure(error)
        finally:
            self.caller = None
        if isinstance(result, WouldBlock):
            if not request.flags & self._nonblock:
                self._waiting[address] = _Waiting(request, lambda: self._perform(request), begun=False)
                return self._wait
            result = -errno.EAGAIN
        working = [tree for tree, before in zip(self._trees, begun, strict=True) if tree.begun() != before]
        if any(tree.busy() for tree in working):
            self._waiting[address] = _Waiting(request, partial(_when_done, working, result), begun=True)
            return self._wait_done
        request.finish(result)
        return self._answered

    @host_call
    def file_answered(self, cpu: Cpu) -> int:
        """The address of a waiting request that has its answer now; 0 if there is none."""
        for address, waiting in self._waiting.items():
            try:
                result = waiting.attempt()
            except OSError as error:
                result = self._failure(error)
            if not isinstance(result, WouldBlock):
                waiting.request.finish(result)
                del self._waiting[address]
                return address
        return 0

    @host_call
    def file_cancel(self, cpu: Cpu, address: int) -> int:
        """Cancels a request. -ENOENT: it is not waiting. -EBUSY: it is done, and only work that it started continues."""
        waiting = self._waiting.get(address)
        if waiting is None:
            return -errno.ENOENT
        if waiting.begun:
            return -errno.EBUSY
        del self._waiting[address]
        return 0

    # The operations. Each returns a request's result, and stores the rest of the answer in the request.

    def _perform(self, request: FileRequest) -> int | WouldBlock:
        operation = self._operations.get(request.op)
        if operation is None:
            raise OSError(errno.ENOSYS, "no such operation")
        return operation(request)

    def _tree(self, number: int) -> ServedTree:
        """The tree of the request's node."""
        index = number >> _NODE_BITS
        if index >= len(self._trees):
            raise OSError(errno.ESTALE, "no such tree")
        return self._trees[index]

    def _node(self, number: int) -> Node:
        return self._tree(number).node(number & _NODE_MASK)

    def _directory(self, number: int) -> Directory:
        return self._tree(number).directory(number & _NODE_MASK)

    def _other(self, request: FileRequest) -> int:
        """The second node, which must be in the same tree."""
        if request.other >> _NODE_BITS != request.node >> _NODE_BITS:
            raise OSError(errno.EXDEV, "another tree")
        return request.other

    def _opened(self, request: FileRequest) -> _OpenNode:
        try:
            return self._open_nodes[request.handle]
        except KeyError:
            raise OSError(errno.EBADF, "not open") from None

    def _put_node(self, request: FileRequest, node: Node) -> int:
        """Answers with a node of the request's tree."""
        number = self._tree(request.node).number(node)
        request.put_attributes(request.node & ~_NODE_MASK | number, number, node.attributes())
        return 0

    def _root(self, request: FileRequest) -> int:
        index = self._names.get(request.data())
        if index is None:
            raise OSError(errno.ENODEV, "there is no such tree")
        request.node = index << _NODE_BITS
        tree = self._trees[index]
        self._put_node(request, tree.root)
        return self._read_only if tree.read_only else 0

    def _set_attributes(self, request: FileRequest) -> int:
        node, flags = self._node(request.node), request.flags
        node.set_attributes(
            request.mode if flags & self._set_mode else None,
            request.size if flags & self._set_size else None,
            request.mtime_ns if flags & self._set_mtime else None,
        )
        return self._put_node(request, node)

    def _open(self, request: FileRequest) -> int:
        flags = OpenFlags(0)
        for bit, flag in self._open_flags:
            if request.flags & bit:
                flags |= flag
        if len(self._open_nodes) >= _MOST_HANDLES:
            raise OSError(errno.ENFILE, "too many files are open")
        node = self._node(request.node)
        handle = node.open(flags)
        self._last_handle += 1
        self._open_nodes[self._last_handle] = _OpenNode(self._tree(request.node), node, handle)
        request.put_flags(self._open_stream if handle.stream else 0)
        return self._last_handle

    def _release(self, request: FileRequest) -> int:
        opened = self._opened(request)
        del self._open_nodes[request.handle]
        opened.handle.release()
        return 0

    def _read(self, request: FileRequest) -> int | WouldBlock:
        opened = self._opened(request)
        data = opened.handle.read(request.offset, request.room())
        opened.found(not isinstance(data, WouldBlock), opened.handle.await_change)
        return data if isinstance(data, WouldBlock) else request.put_data(data)

    def _splice(self, request: FileRequest) -> int | WouldBlock:
        opened = self._opened(request)
        data = opened.handle.splice(request.offset, request.room(), waited=self.caller is None)
        opened.found(not isinstance(data, WouldBlock), opened.handle.await_readiness)
        return data if isinstance(data, WouldBlock) else request.put_data(data)

    def _poll(self, request: FileRequest) -> int:
        opened = self._opened(request)
        ready = opened.handle.poll()
        opened.found(Readiness.READABLE in ready, opened.handle.await_readiness)
        return sum(bit for bit, flag in self._readiness if flag in ready)

    def _read_directory(self, request: FileRequest) -> int:
        opened = self._opened(request)
        if not isinstance(opened.node, Directory):
            raise OSError(errno.ENOTDIR, "is not a directory")
        if opened.entries is None or request.offset == 0:
            opened.entries = [Entry(name, opened.tree.number(node), node.kind) for name, node in opened.node.entries()]
        return request.put_entries(opened.entries, request.offset)

    def _unlink(self, request: FileRequest) -> int:
        self._directory(request.node).unlink(request.name())
        return 0

    def _rmdir(self, request: FileRequest) -> int:
        self._directory(request.node).rmdir(request.name())
        return 0

    def _rename(self, request: FileRequest) -> int:
        old, new = request.two_names()
        self._directory(request.node).rename(old, self._directory(self._other(request)), new)
        return 0

    def _failure(self, error: OSError) -> int:
        """The result of a failed request."""
        if isinstance(error, LoggedError):
            self._log.write_once(error.log)
        return -self._image.error_number(error.errno or errno.EIO)
