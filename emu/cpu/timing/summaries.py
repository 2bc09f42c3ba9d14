# SPDX-License-Identifier: GPL-2.0-only
"""All summaries of blocks that a process has for one CPU model, in memory for native code; and on disk.

A table on disk is named after everything it depends on: the sources that make summaries, the CPU model, and the image whose
blocks it contains. It begins with a hash of the first two and of the rest of the file. A damaged or foreign table is ignored: its
summaries are made again.
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
from emu.native.records import HOST, Bytes

__all__ = ["Summaries"]

_ROOM = 1 << 30  # bytes of address space
_WORTH_WRITING = 32  # blocks: making their summaries again takes as long as writing the file
_MOST_BLOCKS = 1 << 16  # per file
_FLAGS = HOST.fields(Summary)["flags"].offset
_SEAL = hashlib.sha256().digest_size


class Summaries:
    """Makes each summary once. Boards share them, because they depend only on the block.

    Args:
        summarise: summarise(code, address) -> the summary of a block at a virtual address.
        name: the CPU model's name.
        sources: the names of the modules, besides this one, on which summaries depend.

    Attributes:
        tables: native code's record (`summary_record`), including its cache of the core's states.
        static: the offsets of the summaries whose blocks could not be decoded, and are charged as in the static model.
        made: the number of summaries made in this process.
    """

    def __init__(self, summarise: Callable[[bytes, int], BlockSummary], name: str, sources: Sequence[str]) -> None:
        self._summarise = summarise
        fingerprints = (fingerprint(sys.modules[source].__file__ or "") for source in (*sources, __name__))
        self._name = "-".join(["summaries", name, *fingerprints])
        self._words = np.frombuffer(far_memory(_ROOM), np.uint64)
        self._used = LINE_WORDS  # offset 0 means none
        self._known: dict[tuple[int, bytes], int] = {}
        self._saved = 0  # the number of them in the last file read or written
        self._read: set[Path] = set()
        self.made = 0
        self.static: set[int] = set()
        self.tables = Tables.allocate()
        for memory in (self._words, self.tables.words):
            use_large_pages(memory.ctypes.data, memory.nbytes)
        self.tables.summaries = Bytes(self._words.ctypes.data)
        self.tables.summaries_first = self._used * 8

    def offset(self, code: bytes, address: int) -> int:
        """The offset in bytes of the summary of a block at a virtual address."""
        known = self._known.get((address, code))
        if known is None:
            self.made += 1
            known = self._known[address, code] = self._append(words_of(self._summarise(code, address)))
            if self.summary(known).flags & STATIC:
                self.static.add(known)
        return known

    def summary(self, offset: int) -> Summary:
        """The record at `offset`."""
        return Summary(self.tables.summaries.address + offset)

    def content(self, offset: int) -> bytes:
        """The summary at `offset`, without cached states; empty at 0."""
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
        """Reads the table of an image. `image`: a name that identifies its content."""
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
        """The head of a file."""
        return hashlib.sha256(self._name.encode() + b"\0" + content).digest()

    def _add(
        self,
        addresses: NDArray[np.uint64],
        sizes: NDArray[np.uint32],
        code: NDArray[np.uint8],
        offsets: NDArray[np.uint64],
        words: NDArray[np.uint64],
    ) -> None:
        """Adds the contents of a file."""
        base = self._append(words)
        flags = words.view(np.uint8)[offsets + np.uint64(_FLAGS)]
        self.static.update((base + offsets[flags & np.uint8(STATIC) != 0]).tolist())
        data = code.tobytes()
        ends = np.cumsum(sizes).tolist()
        begin = 0
        for address, end, offset in zip(addresses.tolist(), ends, offsets.tolist(), strict=True):
            self._known.setdefault((address, data[begin:end]), base + offset)
            begin = end

    def save(self, image: str) -> None:
        """Writes the table of an image, if it has grown. Another process finds a whole file or none."""
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
        with suppress(OSError):  # there has been a warning about a folder that cannot be written
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                unfinished.write_bytes(self._seal(content.getvalue()) + content.getvalue())
                unfinished.replace(path)
            finally:
                unfinished.unlink(missing_ok=True)
            self._saved = len(self._known)

    def _without_transitions(self) -> NDArray[np.uint64]:
        """The words of the summaries, without cached states, whose numbers differ between processes."""
        words = self._words[LINE_WORDS : self._used].copy()
        for offset in self._known.values():
            _forget_transitions(Summary(words.ctypes.data + offset - LINE_WORDS * 8))
        return words


def _forget_transitions(summary: Summary) -> None:
    summary.transition = summary.next = summary.other_transition = summary.other_next = 0
