# SPDX-License-Identifier: GPL-2.0-only
"""All summaries of blocks that a process knows for one CPU model, where native code finds them; and on disk.

A table on disk is named by what it depends on: the sources that make summaries, the CPU model, and the image whose blocks it
holds. It begins with a hash of the first two and of all that follows. One that is damaged, or of something else, is as good as
none: its summaries are made again.
"""

from __future__ import annotations

import hashlib
import io
import sys
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from emu.cpu.far_memory import far_memory
from emu.cpu.host_memory import use_large_pages
from emu.cpu.native.timing.summary_record import STATIC, Summary, Tables
from emu.cpu.timing import BlockSummary
from emu.cpu.timing.summary_words import LINE_WORDS, words_of
from emu.native.cache import cache_directory, fingerprint
from emu.native.records import Bytes

__all__ = ["Summaries"]

_ROOM = 1 << 30  # bytes of addresses
_WORTH_WRITING = 32  # blocks: to make their summaries again takes as long as to write the file
_MOST_BLOCKS = 1 << 16  # in a file
_SEAL = hashlib.sha256().digest_size


class Summaries:
    """Makes each summary once. Boards share them, because they say what is always true of a block.

    Args:
        summarise: summarise(code, address) -> the summary of a block at a virtual address.
        name: of the CPU model.
        sources: the modules on which the summaries depend beside this one, by their names.

    Attributes:
        tables: the record that native code reads (`summary_record`), with all that is known of the core's states.
        made: how many were made in this process.
    """

    def __init__(self, summarise: Callable[[bytes, int], BlockSummary], name: str, sources: Sequence[str]) -> None:
        self._summarise = summarise
        fingerprints = (fingerprint(sys.modules[source].__file__ or "") for source in (*sources, __name__))
        self._name = "-".join(["summaries", name, *fingerprints])
        self._words = np.frombuffer(far_memory(_ROOM), np.uint64)
        self._used = LINE_WORDS  # an offset of 0 is none
        self._known: dict[tuple[int, bytes], int] = {}
        self._saved = 0  # how many of them the file has that was read or written last
        self._read: set[Path] = set()
        self.made = 0
        self.tables = Tables.allocate()
        for memory in (self._words, self.tables.words):
            use_large_pages(memory.ctypes.data, memory.nbytes)
        self.tables.summaries = Bytes(self._words.ctypes.data)
        self.tables.summaries_first = self._used * 8

    def offset(self, code: bytes, address: int) -> int:
        """Where the summary is of a block at a virtual address, in bytes."""
        known = self._known.get((address, code))
        if known is None:
            self.made += 1
            known = self._known[address, code] = self._append(words_of(self._summarise(code, address)))
        return known

    def summary(self, offset: int) -> Summary:
        """The record at `offset`."""
        return Summary(self.tables.summaries.address + offset)

    def static(self, offset: int) -> bool:
        """Whether the block with a summary at `offset` could not be decoded, and is charged as by the static model."""
        return bool(self.summary(offset).flags & STATIC)

    def content(self, offset: int) -> bytes:
        """The summary at `offset`, without what is remembered of states; none at 0."""
        if not offset:
            return b""
        words = self._words[offset // 8 : (offset + self.summary(offset).size) // 8].copy()
        _forget_transitions(Summary(words.ctypes.data))
        return words.tobytes()

    def _append(self, words: NDArray[np.uint64]) -> int:
        offset = self._used
        if offset + len(words) > len(self._words):
            raise MemoryError("too many blocks of code for the timing model")
        self._words[offset : offset + len(words)] = words
        self._used = offset + len(words)
        self.tables.summaries_end = self._used * 8
        return offset * 8

    # On disk

    def _path(self, image: str) -> Path | None:
        root = cache_directory()
        return None if root is None else root / self._name / f"{image}.blocks"

    def load(self, image: str) -> None:
        """Reads the table of an image. `image`: a name for its content."""
        path = self._path(image)
        if path is None or path in self._read:
            return
        self._read.add(path)
        try:
            data = path.read_bytes()
        except OSError:
            return
        content = data[_SEAL:]
        if data[:_SEAL] == self._seal(content):
            with np.load(io.BytesIO(content), allow_pickle=False) as file:
                self._add(**file)
            self._saved = len(self._known)

    def _seal(self, content: bytes) -> bytes:
        """What a file begins with."""
        return hashlib.sha256(self._name.encode() + b"\0" + content).digest()

    def _add(
        self,
        addresses: NDArray[np.uint64],
        sizes: NDArray[np.uint32],
        code: NDArray[np.uint8],
        offsets: NDArray[np.uint64],
        words: NDArray[np.uint64],
    ) -> None:
        """Adds what a file holds."""
        base = self._append(words)
        data = code.tobytes()
        ends = np.cumsum(sizes).tolist()
        begin = 0
        for address, end, offset in zip(addresses.tolist(), ends, offsets.tolist(), strict=True):
            self._known.setdefault((address, data[begin:end]), base + offset)
            begin = end

    def save(self, image: str) -> None:
        """Writes the table of an image, if there is more than it holds. Another process finds a whole file or none."""
        path = self._path(image)
        if path is None or len(self._known) - self._saved < _WORTH_WRITING:
            return
        known = list(self._known.items())[:_MOST_BLOCKS]
        content = io.BytesIO()
        np.savez(
            content,
            addresses=np.array([address for (address, _), _ in known], np.uint64),
            sizes=np.array([len(code) for (_, code), _ in known], np.uint32),
            code=np.frombuffer(b"".join(code for (_, code), _ in known), np.uint8),
            offsets=np.array([offset - LINE_WORDS * 8 for _, offset in known], np.uint64),
            words=self._without_transitions(),
        )
        unfinished = path.with_suffix(f".{uuid.uuid4().hex[:16]}")
        with suppress(OSError):  # a folder that cannot be written has been warned of
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                unfinished.write_bytes(self._seal(content.getvalue()) + content.getvalue())
                unfinished.replace(path)
            finally:
                unfinished.unlink(missing_ok=True)
            self._saved = len(self._known)

    def _without_transitions(self) -> NDArray[np.uint64]:
        """The summaries' words, without what they remember of states, which have other numbers in each process."""
        words = self._words[LINE_WORDS : self._used].copy()
        for offset in self._known.values():
            _forget_transitions(Summary(words.ctypes.data + offset - LINE_WORDS * 8))
        return words


def _forget_transitions(summary: Summary) -> None:
    summary.transition = summary.next = summary.other_transition = summary.other_next = 0
