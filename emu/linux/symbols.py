# SPDX-License-Identifier: GPL-2.0-only
"""The symbols of a Linux kernel: its kallsyms, out of the image alone.

scripts/kallsyms.c writes these tables into .rodata, without any symbol that names them:

    until Linux 6.3     offsets  base  number  names  markers  [sequence, since 6.2]  tokens  token index
    since Linux 6.4     number  names  markers  tokens  token index  offsets  base  sequence
    by Linux 7.2        the same without the base: an offset is the distance from its own place

Each is aligned to 8 bytes, without a base to 4. A name is a length and that many token numbers; the first character of the
text is the type, as in nm. A length of 128 or more has a second byte (since 6.1). There are 256 tokens. The markers are the
places of every 256th name. The tokens are found by those for the digits, which follow each other in every kernel. The token
index confirms them, and the markers confirm the names.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from emu.linux import arch
from emu.linux.image import Kernel

__all__ = ["NoSymbols", "Symbols"]

_ALIGNMENTS = (8, 4)
_TOKENS = 256
_DIGITS = b"".join(b"%d\0" % digit for digit in range(10))
_BLOCK = 256  # names between two markers
_SPAN = 8 << 20  # The markers are at most as far before the tokens: a sequence number has 3 bytes.
_LONGEST = 514  # bytes of a name with its length: KSYM_NAME_LEN is 512
_MOST_RUNS = 8  # that may be markers
_MOST_TEXT = 1 << 27  # bytes of all names; Linux 7.2 has 5 MB
_TEXT_TYPES = np.frombuffer(b"tTwW", np.uint8)
_TEXT_ENDS = ("_etext", "_einittext")  # what follows is no function, even if the table has nothing else there

Numbers = NDArray[np.int64]


class NoSymbols(ValueError):
    """A kernel without kallsyms. The message is one line, and names the file."""


class _Tokens(NamedTuple):
    """Attributes:
    alignment: of all tables.
    start: the place of the tokens.
    after: the place behind the token index.
    texts: of all tokens, each with a zero byte.
    starts, lengths: of each token in `texts`.
    """

    alignment: int
    start: int
    after: int
    texts: bytes
    starts: Numbers
    lengths: Numbers


class _Names(NamedTuple):
    """Attributes:
    start: the place of the first.
    starts, lengths: of the tokens of each name.
    """

    start: int
    starts: Numbers
    lengths: Numbers


class Symbols:
    """A kernel's symbols, in the order of /proc/kallsyms.

    Attributes:
        addresses: of each symbol, ascending. Those of per-CPU variables are offsets.
        types: of each symbol, the character that nm shows.

    Raises:
        NoSymbols: the kernel was built without kallsyms, or with a table of another kind.
    """

    def __init__(self, kernel: Kernel) -> None:
        data = kernel.vmlinux
        for tokens in _tokens(data):
            if (names := _names(data, tokens)) is None or (addresses := _addresses(kernel, tokens, names)) is None:
                continue
            if (texts := _texts(data, tokens, names)) is not None:
                self.addresses = addresses
                self.types, self._text, self._places = texts
                return
        raise NoSymbols(f"{kernel.path}: the kernel has no symbols (CONFIG_KALLSYMS)")

    @functools.cached_property
    def names(self) -> Sequence[str]:
        """Of each symbol."""
        return self._text[1:-1].decode("utf-8", "replace").split("\0")

    def address(self, name: str) -> int | None:
        """The address of the first symbol of a name; None if there is none."""
        found = self._text.find(b"\0%s\0" % name.encode("utf-8", "replace"))
        if found < 0 or not name:
            return None
        return int(self.addresses[np.searchsorted(self._places, found + 1)])

    def at(self, address: int) -> tuple[str, int] | None:
        """The name of the function at an address, and the offset in it; None if the address is in none."""
        found = self._around(address)
        return None if found is None else (found[0], address - found[1])

    def function(self, address: int) -> tuple[str, int, int] | None:
        """The same, with the size of the function, which reaches to the next symbol."""
        found = self._around(address)
        return None if found is None else (found[0], address - found[1], found[2] - found[1])

    def lookup(self, address: int) -> str:
        """A function as Linux's %pS shows it, `vfs_read+0x12/0x310`, or the plain address. It reaches to the next symbol."""
        found = self._around(address)
        return f"{address:#x}" if found is None else f"{found[0]}+{address - found[1]:#x}/{found[2] - found[1]:#x}"

    def _around(self, address: int) -> tuple[str, int, int] | None:
        """The name, beginning and end of the function at an address. Of several names, Linux takes the first."""
        if not arch.KERNEL_HALF <= address < 1 << 64:
            return None
        index = int(np.searchsorted(self.addresses, np.uint64(address), "right"))
        if index in (0, len(self.addresses)):
            return None
        begin = self.addresses[index - 1]
        first = int(np.searchsorted(self.addresses, begin))
        name = self._name(first)
        if name in _TEXT_ENDS or not np.isin(self.types[first:index], _TEXT_TYPES).any():
            return None
        return name, int(begin), int(self.addresses[index])

    def _name(self, index: int) -> str:
        place = int(self._places[index])
        return self._text[place : self._text.index(b"\0", place)].decode("utf-8", "replace")


def _aligned(place: int, alignment: int) -> int:
    return -(-place // alignment) * alignment


def _tokens(data: bytes) -> Iterator[_Tokens]:
    """What has the form of a table of tokens with its index."""
    digits = -1
    while (digits := data.find(_DIGITS, digits + 1)) >= 0:
        end = digits + len(_DIGITS)
        for _ in range(_TOKENS - ord("9") - 1):
            end = data.find(b"\0", end, end + _LONGEST) + 1
            if not end:
                break
        for alignment in _ALIGNMENTS if end else ():
            place = _aligned(end, alignment)
            index = np.frombuffer(data[place : place + 2 * _TOKENS].ljust(2 * _TOKENS, b"\0"), "<u2").astype(np.int64)
            start = digits - int(index[ord("0")])
            texts = data[max(start, 0) : end]
            ends = np.flatnonzero(np.frombuffer(texts, np.uint8) == 0)
            if len(ends) == _TOKENS and np.array_equal(index, np.append(0, ends[:-1] + 1)):
                yield _Tokens(alignment, start, place + 2 * _TOKENS, texts, index, ends - index)


def _names(data: bytes, tokens: _Tokens) -> _Names | None:
    """The names, found by their markers: words that begin with 0, and rise by the length of 256 names."""
    start = max(tokens.start - _SPAN, tokens.start % 4)
    words = np.frombuffer(data[start : tokens.start], "<u4").astype(np.int64)
    steps = np.diff(words)
    rising = np.concatenate(([False], (steps >= 2 * _BLOCK) & (steps <= _LONGEST * _BLOCK), [False]))
    runs = np.flatnonzero(rising[1:] != rising[:-1]).reshape(-1, 2)
    runs = runs[words[runs[:, 0]] == 0]
    for begin, end in runs[np.argsort(runs[:, 0] - runs[:, 1], kind="stable")][:_MOST_RUNS].tolist():
        found = _marked_names(data, start + 4 * begin, words[begin : end + 1], tokens.alignment)
        if found is not None:
            return found
    return None


def _marked_names(data: bytes, end: int, markers: Numbers, alignment: int) -> _Names | None:
    """The names that end where the markers begin; None if these are not their markers. Their number comes before them."""
    latest = (end - int(markers[-1])) // alignment * alignment
    earliest = max(latest - _aligned(_LONGEST * _BLOCK, alignment), alignment)
    counts = np.frombuffer(data[earliest - alignment : max(latest, earliest)], "<u4")[:: alignment // 4]
    likely = (counts > (len(markers) - 1) * _BLOCK) & (counts <= len(markers) * _BLOCK)
    for n in np.flatnonzero(likely)[::-1].tolist():
        start = earliest + n * alignment
        if not _is_block(data, start, start + int(markers[1])):
            continue
        found = _walk(data, start, end, int(counts[n]), markers)
        if found is not None and _aligned(int(found.starts[-1] + found.lengths[-1]), alignment) == end:
            return found
    return None


def _is_block(data: bytes, at: int, end: int) -> bool:
    """Whether the names of one block have this length. Most wrong places are sorted out by that."""
    for _ in range(_BLOCK):
        if at >= end:
            return False
        at += 1 + data[at] if data[at] < 128 else 2 + (data[at] & 127 | data[at + 1] << 7)
    return at == end


def _walk(data: bytes, start: int, end: int, count: int, markers: Numbers) -> _Names | None:
    """Goes through the names of all blocks at once. None: the names are not where the markers say."""
    space = np.frombuffer(data[start:end] + bytes(2), np.uint8).astype(np.int64)
    at = markers.copy()
    starts, lengths = np.empty((2, len(markers), _BLOCK), np.int64)
    for n in range(_BLOCK):
        np.minimum(at, len(space) - 2, out=at)  # the last block may be short: what follows it is not used
        length, second = space[at], space[at + 1]
        is_long = length > 127
        starts[:, n] = at + 1 + is_long
        lengths[:, n] = np.where(is_long, (length & 127) | second << 7, length)
        at = starts[:, n] + lengths[:, n]
    starts, lengths = starts.ravel()[:count], lengths.ravel()[:count]
    return _Names(start, starts + start, lengths) if np.array_equal(at[:-1], markers[1:]) and lengths.all() else None


def _addresses(kernel: Kernel, tokens: _Tokens, names: _Names) -> NDArray[np.uint64] | None:
    """The addresses; None if they are not where they are expected. As signed numbers, the kernel's are negative."""
    data, count = kernel.vmlinux, len(names.starts)
    room = _aligned(4 * count, tokens.alignment)
    for start in (tokens.after, names.start - 16 - room):
        if start < 0 or start + room + 8 > len(data):
            continue
        offsets = np.frombuffer(data, "<i4", count, start).astype(np.int64)
        base = int.from_bytes(data[start + room : start + room + 8], "little", signed=True)
        if tokens.alignment == 4:
            starts = [s.virtual - s.offset + start for s in kernel.segments if s.offset <= start < s.offset + len(s.data)]
            addresses = offsets + np.arange(0, 4 * count, 4) + (starts[0] - (1 << 64) if starts else 0)
        elif (offsets < 0).any():  # CONFIG_KALLSYMS_ABSOLUTE_PERCPU, until Linux 6.14: the others are places in the per-CPU area
            addresses = np.where(offsets < 0, base - 1 - offsets, offsets)
        else:
            addresses = base + offsets
        found = addresses.astype(np.uint64)
        if (found[1:] >= found[:-1]).all() and any(0 <= int(found[-1]) - s.virtual <= s.memory_size for s in kernel.segments):
            return found
    return None


def _texts(data: bytes, tokens: _Tokens, names: _Names) -> tuple[NDArray[np.uint8], bytes, Numbers] | None:
    """The types; the names, with a zero byte before each and behind the last; the place of each name in that text.

    None: the names would have an absurd length.
    """
    # The last byte of a name's length becomes one more token: the zero byte that comes before the name.
    codes, ends = _pieces(np.frombuffer(data, np.uint8), names.starts - 1, names.lengths + 1)
    codes = codes.astype(np.int16)
    begins = ends - names.lengths - 1
    codes[begins] = _TOKENS
    starts, lengths = np.append(tokens.starts, len(tokens.texts)), np.append(tokens.lengths, 1)
    if lengths[codes].sum() > _MOST_TEXT:
        return None
    text, ends = _pieces(np.frombuffer(tokens.texts + b"\0", np.uint8), starts[codes], lengths[codes])
    separators = ends[begins] - 1
    types = text[separators + 1]
    kept = np.ones(len(text), bool)
    kept[separators + 1] = False
    places = separators + 1 - np.arange(len(separators))
    return types, text[kept].tobytes() + b"\0", places


def _pieces(data: NDArray[np.uint8], starts: Numbers, lengths: Numbers) -> tuple[NDArray[np.uint8], Numbers]:
    """Pieces of the data, one behind the other, and where each ends."""
    ends = np.cumsum(lengths)
    moved = (starts - ends + lengths).astype(np.int32)  # the image has less than 2 GiB; half as wide, it takes half as long
    return data[np.repeat(moved, lengths) + np.arange(ends[-1], dtype=np.int32)], ends
