# SPDX-License-Identifier: GPL-2.0-only
"""The file server, called the way the guest calls it: with structures in memory, which may contain anything."""

from __future__ import annotations

import errno
import stat
from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from emu.kernel.files.file_server import FileServer
from emu.kernel.files.node import Attributes, Directory, Handle, Node, OpenFlags, Readiness, WouldBlock
from emu.kernel.files.served_tree import ServedTree
from emu.machine import Machine
from tests.lib.booted_machine import booted_machine

REQUEST, DATA = 0x200000, 0x300000  # physical addresses that nothing else uses, as the machine does not run


class Notes(Directory):
    """Notes by name. Until `free` is set, readers of `a` wait, and the work that every write starts goes on."""

    def __init__(self) -> None:
        self.notes = {name: Note(self, name, data) for name, data in (("a", b"alpha"), ("b", bytes(20000)))}
        self.free = False
        self.writes = 0
        self.awaited: list[bool] = []  # for each time a reader wanted to wait, whether it was not the first time
        self.released: list[str] = []

    def attributes(self) -> Attributes:
        return Attributes(stat.S_IFDIR | 0o755, nlink=2)

    def set_attributes(self, mode: int | None, size: int | None, mtime_ns: int | None) -> None:
        raise OSError(errno.ELOOP, "an errno that architectures differ in")

    def lookup(self, name: str) -> Node:
        if name not in self.notes:
            raise OSError(errno.ENOENT, "no")
        return self.notes[name]

    def entries(self) -> Iterable[tuple[str, Node]]:
        return sorted(self.notes.items())

    def rename(self, name: str, new_directory: Directory, new_name: str) -> None:
        self.notes[new_name] = self.notes.pop(name)


class Note(Node):
    kind = stat.S_IFREG

    def __init__(self, directory: Notes, name: str, data: bytes) -> None:
        self.directory, self.name, self.data = directory, name, bytearray(data)

    def attributes(self) -> Attributes:
        return Attributes(self.kind | 0o644, len(self.data), 1, -1_500_000_000)

    def set_attributes(self, mode: int | None, size: int | None, mtime_ns: int | None) -> None:
        pass

    def open(self, flags: OpenFlags) -> Handle:
        return NoteHandle(flags, self)


class NoteHandle(Handle):
    def __init__(self, flags: OpenFlags, note: Note) -> None:
        super().__init__(flags)
        self.note, self.directory = note, note.directory

    def read(self, offset: int, size: int) -> bytes | WouldBlock:
        if self.note.name == "a" and not self.directory.free:
            return WouldBlock()
        return bytes(self.note.data[offset : offset + size])

    def write(self, offset: int, data: bytes) -> int:
        self.note.data[offset : offset + len(data)] = data
        self.directory.writes += 1
        return len(data)

    def poll(self) -> Readiness:
        return Readiness.WRITABLE

    def await_change(self, *, again: bool) -> None:
        self.directory.awaited.append(again)

    def release(self) -> None:
        self.directory.released.append(self.note.name)


class Guest:
    """Places requests in the memory of a machine that does not run."""

    def __init__(self, machine: Machine, tree: Notes) -> None:
        self.machine = machine
        self.kernel = machine.kernel
        self.address = machine.board.arch.direct_map + REQUEST
        self.page = machine.board.arch.page_size
        self.server = FileServer(machine.board, machine.kernel.memory, machine.kernel.log)
        self.server.serve("notes", ServedTree(tree, begun=lambda: tree.writes, busy=lambda: not tree.free))

    def put(self, op: str, data: bytes = b"", pages: Sequence[int] | None = None, address: int = 0, **fields: Any) -> int:
        address = address or self.address
        start = self.kernel.memory.physical(address)
        size = self.kernel.image.size("file_request")
        self.machine.board.ram[start : start + size] = bytes(size)
        pages = [DATA + self.page * n for n in range(4)] if pages is None else pages
        for offset in range(0, len(data), self.page):
            piece = data[offset : offset + self.page]
            self.machine.board.ram[DATA + offset : DATA + offset + len(piece)] = piece
        values = {"op": self.kernel.image.constant(op), "size": len(data), "nr_pages": len(pages), **fields}
        for name, value in values.items():
            self.kernel.memory.set_member(address, f"file_request.{name}", value)
        for number, page in enumerate(pages[:16]):
            self.kernel.memory.write_word(address + self.kernel.image.offset("file_request.pages") + 8 * number, page)
        return address

    def ask(self, op: str, data: bytes = b"", **fields: Any) -> int:
        """The result of a request that is answered at once."""
        address = self.put(op, data, **fields)
        assert self.server.file_request(self.machine.board.cpus[0], address) == self.kernel.image.constant("FS_ANSWERED")
        return self.result(address)

    def result(self, address: int = 0) -> int:
        value = self.kernel.memory.member(address or self.address, "file_request.result")
        return value - (value >> 63 << 64)

    def attribute(self, name: str) -> int:
        return self.kernel.memory.member(self.address + self.kernel.image.offset("file_request.attr"), f"file_attr.{name}")

    def memory(self, size: int) -> bytes:
        return bytes(self.machine.board.ram[DATA : DATA + size])

    def opened(self, name: bytes) -> int:
        assert self.ask("FS_LOOKUP", name, node=1) == 0
        return self.ask("FS_OPEN", node=self.attribute("node"), flags=3)


@pytest.fixture(scope="module")
def machine(arch: str):
    with booted_machine(arch, cpus=1) as made:
        yield made


@pytest.fixture
def tree() -> Notes:
    return Notes()


@pytest.fixture
def guest(machine: Machine, tree: Notes) -> Guest:
    return Guest(machine, tree)


def test_attributes_come_in_the_guests_own_layout(guest: Guest) -> None:
    assert guest.ask("FS_ROOT", b"notes") == 0
    assert (guest.attribute("node"), guest.attribute("mode")) == (1, 0o40755)
    assert guest.ask("FS_LOOKUP", b"b", node=1) == 0
    assert [guest.attribute(name) for name in ("node", "ino", "size")] == [2, 2, 20000]
    assert guest.attribute("mtime_sec") == (1 << 64) - 2  # -1.5 seconds
    assert guest.attribute("mtime_nsec") == 500_000_000


def test_data_is_bounded_by_its_pages(guest: Guest, tree: Notes) -> None:
    handle = guest.opened(b"b")
    note = tree.notes["b"]
    note.data[:] = bytes(range(256)) * 100
    assert guest.ask("FS_READ", handle=handle, size=3 * guest.page) == 3 * guest.page
    assert guest.memory(3 * guest.page) == bytes(note.data[: 3 * guest.page])
    assert guest.ask("FS_READ", handle=handle, size=100, offset=1 << 40) == 0
    assert guest.ask("FS_READ", handle=handle, size=3 * guest.page, nr_pages=1) == -errno.EFAULT
    assert guest.ask("FS_WRITE", handle=handle, size=5 * guest.page) == -errno.EFAULT
    assert guest.ask("FS_READ", handle=handle, size=10, pages=[DATA + 8]) == -errno.EFAULT
    assert guest.ask("FS_READ", handle=handle, size=10, pages=[guest.machine.board.memory]) == -errno.EFAULT
    assert guest.ask("FS_READ", handle=handle, size=10, pages=[-guest.page]) == -errno.EFAULT
    assert guest.ask("FS_READ", handle=handle, size=10, nr_pages=1 << 60) == 10


@pytest.mark.parametrize("name", [b"", b".", b"..", b"a/b", b"/", b"a\0b"])
def test_what_is_no_name_is_refused(guest: Guest, name: bytes) -> None:
    for op in ("FS_LOOKUP", "FS_CREATE", "FS_MKDIR", "FS_UNLINK", "FS_RMDIR"):
        assert guest.ask(op, name, node=1) == -errno.EINVAL
    assert guest.ask("FS_RENAME", b"a\0" + name, node=1, other=1) == -errno.EINVAL
    assert guest.ask("FS_RENAME", name + b"\0a", node=1, other=1) == -errno.EINVAL


def test_errors_have_the_guests_numbers(guest: Guest) -> None:
    assert guest.ask("FS_LOOKUP", b"x", node=1) == -errno.ENOENT
    assert guest.ask("FS_LOOKUP", b"x" * 256, node=1) == -guest.kernel.image.constant("ENAMETOOLONG")
    assert guest.ask("FS_SETATTR", node=1) == -guest.kernel.image.constant("ELOOP")
    assert guest.ask("FS_GETATTR", node=1 << 40 | 1) == -guest.kernel.image.constant("ESTALE")
    assert guest.ask("FS_READ", handle=99, size=1) == -errno.EBADF
    assert guest.ask("FS_ROOT", b"nosuch") == -errno.ENODEV
    for number in (0, 0xFFFF):
        guest.kernel.memory.set_member(guest.put("FS_ROOT"), "file_request.op", number)
        assert guest.server.file_request(guest.machine.board.cpus[0], guest.address) == 0
        assert guest.result() == -guest.kernel.image.constant("ENOSYS")
    assert guest.ask("FS_RENAME", b"a\0b", node=1, other=1 << 40 | 1) == -errno.EXDEV


def test_who_asks_for_a_node_that_was_removed_does_not_find_it(guest: Guest, tree: Notes) -> None:
    assert guest.ask("FS_LOOKUP", b"b", node=1) == 0
    number = guest.attribute("node")
    assert guest.ask("FS_GETATTR", node=number) == 0
    tree.notes["b"].removed = True
    assert guest.ask("FS_GETATTR", node=number) == -errno.ENOENT
    assert guest.ask("FS_LOOKUP", b"a", node=1) == 0
    number = guest.attribute("node")
    del tree.notes["a"]
    assert guest.ask("FS_OPEN", node=number, flags=1) == -errno.ENOENT


def test_a_directory_is_read_in_pieces(guest: Guest, tree: Notes) -> None:
    tree.notes = {f"{number:0200}": Note(tree, "", b"") for number in range(100)}
    handle = guest.ask("FS_OPEN", node=1, flags=1)
    image, names, offset = guest.kernel.image, [], 0
    while size := guest.ask("FS_READDIR", handle=handle, offset=offset):
        assert 0 < size <= guest.page
        if offset == 0:
            tree.notes["later"] = Note(tree, "", b"")  # the reader does not see entries added while it reads
        at = guest.machine.board.arch.direct_map + DATA
        end = at + size
        while at < end:
            length = guest.kernel.memory.member(at, "file_dirent.namelen")
            start = guest.kernel.memory.physical(at) + image.size("file_dirent")
            names.append(bytes(guest.machine.board.ram[start : start + length]))
            assert guest.kernel.memory.member(at, "file_dirent.type") == 8
            offset = guest.kernel.memory.member(at, "file_dirent.next")
            at += guest.kernel.memory.member(at, "file_dirent.reclen")
    assert names == [b"%0200d" % number for number in range(100)]
    assert guest.ask("FS_READDIR", handle=handle, offset=1 << 60) == 0


def test_a_directory_is_read_anew_from_its_beginning(guest: Guest, tree: Notes) -> None:
    handle = guest.ask("FS_OPEN", node=1, flags=1)
    before = guest.ask("FS_READDIR", handle=handle)
    tree.notes["new"] = Note(tree, "", b"")
    assert guest.ask("FS_READDIR", handle=handle) > before


def test_what_there_is_no_room_for_is_not_read(guest: Guest) -> None:
    """A read that is too large fails at once: it must not wait, lose bytes of a pipe, or allocate that much on the host."""
    handle = guest.opened(b"a")
    for size in (4 * guest.page + 1, 1 << 62):
        assert guest.ask("FS_READ", handle=handle, size=size) == -errno.EFAULT


def test_two_requests_wait_and_one_is_given_up(guest: Guest, tree: Notes) -> None:
    handle = guest.opened(b"a")
    cpu, image = guest.machine.board.cpus[0], guest.kernel.image
    first = guest.put("FS_READ", handle=handle, size=3)
    second = guest.put("FS_READ", handle=handle, size=100, offset=3, address=first + 0x1000)
    for address in (first, second):
        assert guest.server.file_request(cpu, address) == image.constant("FS_WAIT")
    assert guest.server.file_request(cpu, first) == -errno.EINVAL  # it is waiting already
    assert tree.awaited == [False, True]
    assert guest.server.file_answered(cpu) == 0
    assert tree.awaited == [False, True, True, True]
    assert guest.server.file_cancel(cpu, first) == 0
    assert guest.server.file_cancel(cpu, first) == -errno.ENOENT
    tree.free = True
    assert guest.server.file_answered(cpu) == second
    assert (guest.result(second), guest.memory(2)) == (2, b"ha")
    assert guest.server.file_answered(cpu) == 0
    tree.free = False
    assert guest.ask("FS_READ", handle=handle, size=3, flags=image.constant("FS_NONBLOCK")) == -errno.EAGAIN
    assert not tree.awaited[-1]  # it has been answered since


def test_what_has_begun_is_waited_for(guest: Guest, tree: Notes) -> None:
    handle = guest.opened(b"b")
    nonblock = guest.kernel.image.constant("FS_NONBLOCK")
    address = guest.put("FS_WRITE", b"new", handle=handle, flags=nonblock)
    assert guest.server.file_request(guest.machine.board.cpus[0], address) == guest.kernel.image.constant("FS_WAIT_DONE")
    assert guest.server.file_cancel(guest.machine.board.cpus[0], address) == -errno.EBUSY
    tree.free = True
    assert guest.server.file_answered(guest.machine.board.cpus[0]) == address
    assert guest.result() == 3
    assert tree.notes["b"].data[:4] == b"new\0"


def test_what_another_tree_has_begun_is_not_waited_for(guest: Guest, tree: Notes) -> None:
    guest.server.serve("busy", ServedTree(Notes(), begun=lambda: 1, busy=lambda: True))
    handle = guest.opened(b"b")
    tree.free = True
    assert guest.ask("FS_WRITE", b"new", handle=handle) == 3
    tree.free = False
    assert guest.ask("FS_READ", handle=handle, size=3) == 3  # this tree has work in progress, but not for this request


def test_requests_outside_memory_are_none(guest: Guest) -> None:
    board = guest.machine.board
    for address in (0, board.arch.direct_map + board.memory - 8, board.arch.direct_map + board.memory, 1 << 63):
        with pytest.raises(LookupError):
            guest.server.file_request(board.cpus[0], address)


def test_closing_releases_what_is_open(guest: Guest, tree: Notes) -> None:
    guest.opened(b"a")
    handle = guest.opened(b"b")
    assert guest.ask("FS_RELEASE", handle=handle) == 0
    assert guest.ask("FS_RELEASE", handle=handle) == -errno.EBADF
    guest.server.close()
    assert tree.released == ["b", "a"]


def test_only_so_many_files_can_be_open(guest: Guest, tree: Notes) -> None:
    results = [guest.ask("FS_OPEN", node=1, flags=1) for _ in range(4100)]
    assert results.index(-errno.ENFILE) == 4096
