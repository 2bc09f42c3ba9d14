# SPDX-License-Identifier: GPL-2.0-only
"""struct file_request in the guest's memory: a request, and the place of its answer.

The guest wrote everything in it, so every address is checked, and every length is bounded by the request's list of pages.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from typing import NamedTuple

from emu.kernel.files.node import Attributes
from emu.kernel.memory import GuestMemory

__all__ = ["Entry", "FileRequest", "RequestFormat", "component"]

_LONGEST_NAME = 255
_FIELDS = ("node", "other", "handle", "offset", "size", "mtime_sec", "mtime_nsec", "op", "flags", "mode", "nr_pages", "pages")
_ATTRIBUTES = ("node", "ino", "size", "mtime_sec", "mtime_nsec", "mode", "nlink")
_ENTRY = ("ino", "next", "reclen", "type", "namelen")


class Entry(NamedTuple):
    """A directory entry: a name, and its node's number and type."""

    name: str
    ino: int
    kind: int


class RequestFormat:
    """The layout of the structures, from the image's layout table."""

    def __init__(self, memory: GuestMemory) -> None:
        image = memory.image
        self.memory = memory
        self.ram = memory.ram
        self.page = memory.page_size
        self.byte_order = memory.byte_order
        self.size = image.size("file_request")
        self.no_time = image.constant("FILE_NO_TIME")
        self.most_pages = image.constant("FILE_REQUEST_PAGES")
        self.fields = {name: _slice(image.layout[f"file_request.{name}"]) for name in _FIELDS}
        self.result = _slice(image.layout["file_request.result"])
        self.attr = image.offset("file_request.attr")
        self.attributes = {name: _slice(image.layout[f"file_attr.{name}"]) for name in _ATTRIBUTES}
        self.entry_size = image.size("file_dirent")
        self.entry = {name: _slice(image.layout[f"file_dirent.{name}"]) for name in _ENTRY}

    def number(self, value: int, place: slice) -> bytes:
        """A number in the byte order and size of a member."""
        size: int = place.stop - place.start
        return (value & (1 << 8 * size) - 1).to_bytes(size, self.byte_order)


def _slice(member: tuple[int, int]) -> slice:
    start, size = member
    return slice(start, start + size)


class FileRequest:
    """One request. Its numbers are attributes, named after the members; `data()` is the contents of its pages.

    Raises:
        LookupError: its address is outside the kernel's memory.
    """

    def __init__(self, form: RequestFormat, address: int) -> None:
        self._form = form
        start = form.memory.physical(address)
        if start + form.size > len(form.ram):
            raise LookupError(f"request at {address:#x} leaves memory")
        self._struct = form.ram[start : start + form.size]
        fields = form.fields

        def number(name: str) -> int:
            return int.from_bytes(self._struct[fields[name]], form.byte_order)

        self.op, self.flags, self.mode = number("op"), number("flags"), number("mode")
        self.node, self.other, self.handle = number("node"), number("other"), number("handle")
        self.offset, self.size = number("offset"), number("size")
        seconds = number("mtime_sec")
        self.mtime_ns = (seconds - (seconds >> 63 << 64)) * 1_000_000_000 + number("mtime_nsec")
        words = fields["pages"].start
        count = min(number("nr_pages"), form.most_pages)
        self._pages = [int.from_bytes(self._struct[words + 8 * n : words + 8 * n + 8], form.byte_order) for n in range(count)]

    # The request

    def room(self) -> int:
        """The `size` of the request, if its pages have room for so many bytes.

        Raises:
            OSError: EFAULT if they do not.
        """
        if self.size > len(self._pages) * self._form.page:
            raise OSError(errno.EFAULT, "more data than pages")
        return self.size

    def data(self) -> bytes:
        """The `size` bytes in the pages.

        Raises:
            OSError: EFAULT if the pages are not all in memory.
        """
        rest, pieces = self.room(), []
        for page in self._pages:
            if not rest:
                break
            length = min(rest, self._form.page)
            pieces.append(bytes(self._memory(page)[:length]))
            rest -= length
        return b"".join(pieces)

    def name(self) -> str:
        """The data as a path component.

        Raises:
            OSError: it is not a valid component.
        """
        return component(self.data())

    def name_and_text(self) -> tuple[str, str]:
        """A path component, and the text after its NUL."""
        name, text = self._two_texts()
        return component(name), os.fsdecode(text)

    def two_names(self) -> tuple[str, str]:
        """Two path components, separated by a NUL."""
        first, second = self._two_texts()
        return component(first), component(second)

    def _two_texts(self) -> tuple[bytes, bytes]:
        first, _, second = self.data().partition(b"\0")
        if not second or b"\0" in second:
            raise OSError(errno.EINVAL, "not two texts")
        return first, second

    def _memory(self, page: int) -> memoryview:
        if page % self._form.page or page + self._form.page > len(self._form.ram):
            raise OSError(errno.EFAULT, "not a page of memory")
        return self._form.ram[page : page + self._form.page]

    # The answer

    def finish(self, result: int) -> None:
        """Stores the result in the guest's structure. The rest of the answer must have been stored before."""
        self._struct[self._form.result] = self._form.number(result, self._form.result)

    def put_flags(self, flags: int) -> None:
        place = self._form.fields["flags"]
        self._struct[place] = self._form.number(flags, place)

    def put_data(self, data: bytes) -> int:
        """Copies bytes into the pages. Returns their number."""
        view, page = memoryview(data), self._form.page
        if len(data) > len(self._pages) * page:
            raise OSError(errno.EFAULT, "more data than pages")
        for start in range(0, len(data), page):
            piece = view[start : start + page]
            self._memory(self._pages[start // page])[: len(piece)] = piece
        return len(data)

    def put_attributes(self, node: int, ino: int, attributes: Attributes) -> None:
        """Stores a node's attributes. `node`: the node's number for the guest."""
        form = self._form
        time = attributes.mtime_ns
        seconds, nanoseconds = (0, form.no_time) if time is None else divmod(time, 1_000_000_000)
        values = (
            node, ino, attributes.size, seconds, nanoseconds, attributes.mode, attributes.nlink,
        )  # fmt: skip
        for (_, place), value in zip(form.attributes.items(), values, strict=True):
            self._struct[form.attr + place.start : form.attr + place.stop] = form.number(value, place)

    def put_entries(self, entries: Sequence[Entry], first: int) -> int:
        """Stores as many entries as fit into one page, from number `first` on. Returns their bytes, 0 at the end."""
        form, packed = self._form, bytearray()
        for number, entry in enumerate(entries[first:], first + 1):
            name = os.fsencode(entry.name)
            length = form.entry_size + len(name) + 7 & ~7
            if len(packed) + length > form.page:
                break
            record = bytearray(length)
            values = (entry.ino, number, length, entry.kind >> 12, len(name))
            for (_, place), value in zip(form.entry.items(), values, strict=True):
                record[place] = form.number(value, place)
            record[form.entry_size : form.entry_size + len(name)] = name
            packed += record
        return self.put_data(bytes(packed))


def component(name: bytes) -> str:
    """A name as the path component of an entry to make or remove.

    Raises:
        OSError: ENAMETOOLONG; EINVAL if it is not a valid component.
    """
    if len(name) > _LONGEST_NAME:
        raise OSError(errno.ENAMETOOLONG, "too long for a name")
    if name in (b"", b".", b"..") or b"/" in name or b"\0" in name:
        raise OSError(errno.EINVAL, "not a name")
    return os.fsdecode(name)
