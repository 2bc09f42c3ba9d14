# SPDX-License-Identifier: GPL-2.0-only
"""The ORC tables of a Linux kernel for x86-64: how the caller's registers are found at each instruction, without frame pointers.

objtool makes two arrays, one element for each place from which on a rule applies:

    .orc_unwind_ip      32 bits: the distance of the place from the element itself
    .orc_unwind         offset of the stack pointer, offset of the frame pointer (16 bits each), and 16 bits:

        bits      0-3     4-7     8-9     8-10    10      11
        to 6.2    sp_reg  bp_reg  type            end
        6.3       sp_reg  bp_reg  type            signal  end
        from 6.4  sp_reg  bp_reg          type            signal

Where nothing is known, an element without registers stands: a terminator. If it shares its place with another element, the other
one applies. Linux says what the elements mean: arch/x86/include/asm/orc_types.h, Documentation/arch/x86/orc-unwinder.rst.
"""

from __future__ import annotations

import enum
import io
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from numpy.typing import NDArray

from emu.linux.image import Kernel
from emu.linux.symbols import Symbols

__all__ = ["ENTRY", "NoOrc", "Orc", "OrcLayout", "OrcText", "Type", "kernel_texts", "text_without_orc"]

ENTRY = np.dtype(
    {
        "names": ["sp_offset", "bp_offset", "type", "sp_reg", "bp_reg", "signal"],
        "formats": ["<i2", "<i2", "u1", "u1", "u1", "u1"],
    }
)
"""A rule, as native code reads it. `type`: of Type. `signal`: whether the caller was interrupted where its address says."""

_STORED = np.dtype([("sp_offset", "<i2"), ("bp_offset", "<i2"), ("bits", "<u2")])
_SHIFT = 7  # a block of the index has 128 bytes of text: about three rules
_MOST_TEXT = 1 << 32  # an offset has 32 bits
_PREV_SP, _BP = 1, 4  # ORC_REG_


class NoOrc(ValueError):
    """There are no ORC tables, or they are damaged. The message is one line."""


class Type(enum.IntEnum):
    """What is on the stack where a rule says that the caller's part begins, as Linux has numbered it since 6.4."""

    UNDEFINED = 0  # unknown: the trace ends, and is incomplete
    END_OF_STACK = 1
    CALL = 2  # a return address
    REGS = 3  # a struct pt_regs
    REGS_PARTIAL = 4  # the five words that the processor stores
    GUESS = 5  # ours: a return address, if the code uses a frame pointer; it must be on the same stack


class OrcLayout(NamedTuple):
    """What the upper bits of an element mean.

    Attributes:
        types: of the values of the type's bits, from bit 8 on. A value behind the last one is undefined.
        signal: the bit; None: registers were interrupted, calls were not.
        end: the bit of the end of the stack among elements without registers; None: it is a type.
    """

    types: tuple[Type, ...]
    signal: int | None
    end: int | None

    @classmethod
    def of(cls, has_member: Callable[[str], bool]) -> OrcLayout:
        """The layout of a kernel.

        Args:
            has_member: whether its struct orc_entry has a member of this name.
        """
        if not has_member("end"):
            return _SINCE_6_4
        return _OF_6_3 if has_member("signal") else _UNTIL_6_2

    @classmethod
    def found_in(cls, entries: bytes) -> OrcLayout:
        """The layout, by the elements of a kernel whose structures are not known: every kernel has ends of stacks.

        Raises:
            NoOrc: there are none.
        """
        bits = np.frombuffer(entries, _STORED, len(entries) // _STORED.itemsize)["bits"]
        for layout, end in ((_UNTIL_6_2, 1 << 10), (_OF_6_3, 1 << 11), (_SINCE_6_4, Type.END_OF_STACK << 8)):
            if (bits == end).any():
                return layout
        raise NoOrc("the ORC tables have no end of a stack")

    def expanded(self, entries: bytes) -> NDArray[np.void]:
        """The rules of such elements, as ENTRY."""
        stored = np.frombuffer(entries, _STORED)
        bits = stored["bits"]
        size = (len(self.types) - 1).bit_length()
        types = np.zeros(1 << size, np.uint8)
        types[: len(self.types)] = self.types
        found = np.empty(len(stored), ENTRY)
        for name in ("sp_offset", "bp_offset"):
            found[name] = stored[name]
        found["sp_reg"], found["bp_reg"] = bits & 15, bits >> 4 & 15
        found["type"] = kinds = types[bits >> 8 & (1 << size) - 1]
        found["signal"] = kinds > Type.CALL if self.signal is None else bits >> self.signal & 1
        if self.end is not None:
            nothing = found["sp_reg"] == 0
            found["type"][nothing] = np.where(bits[nothing] >> self.end & 1, Type.END_OF_STACK, Type.UNDEFINED)
        return found


_OLD_TYPES = (Type.CALL, Type.REGS, Type.REGS_PARTIAL)
_UNTIL_6_2 = OrcLayout(_OLD_TYPES, signal=None, end=10)
_OF_6_3 = OrcLayout(_OLD_TYPES, signal=10, end=11)
_SINCE_6_4 = OrcLayout((Type.UNDEFINED, Type.END_OF_STACK, *_OLD_TYPES), signal=11, end=None)


class OrcText(NamedTuple):
    """The rules of one range of code, for native code (emu.ftrace.native.orc_record): the text is cut into blocks.

    Attributes:
        start, size: of the text.
        offsets: uint32[n], ascending: from where on, counted from the text's start, a rule applies. The first is 0.
        entries: ENTRY[n], the rules.
        shift: a block has 1 << shift bytes.
        blocks: uint32: for each block, and for one after the last, the index of the rule at its beginning.
    """

    start: int
    size: int
    offsets: NDArray[np.uint32]
    entries: NDArray[np.void]
    shift: int
    blocks: NDArray[np.uint32]

    def copied_to(self, start: int) -> OrcText:
        """The rules of a copy of the text: Linux's trampolines of ftrace are copies of ftrace_caller and ftrace_regs_caller."""
        return self._replace(start=start)


class Orc(NamedTuple):
    """The rules of a kernel, or of a module.

    Attributes:
        addresses: uint64[n], ascending: from where on a rule applies.
        entries: ENTRY[n], the rules.
    """

    addresses: NDArray[np.uint64]
    entries: NDArray[np.void]

    @classmethod
    def of(cls, address: int, ips: bytes, entries: bytes, layout: OrcLayout | None = None) -> Orc:
        """The rules in two arrays, of a kernel or of a module: `arch.orc_unwind_ip` and `arch.orc_unwind` of its struct module.

        Args:
            address: of the first array.
            ips, entries: their contents.
            layout: None: it is found in them.

        Raises:
            NoOrc: they are empty, or do not belong together.
        """
        count, rest = divmod(len(ips), 4)
        if not count or rest or len(entries) != _STORED.itemsize * count:
            raise NoOrc(f"ORC tables of {len(ips):,} and {len(entries):,} bytes")
        distances = np.frombuffer(ips, "<i4").astype(np.int64)
        places = (distances + np.arange(0, 4 * count, 4)).astype(np.uint64) + np.uint64(address)
        rules = (layout or OrcLayout.found_in(entries)).expanded(entries)
        if (places[1:] < places[:-1]).any():  # a module that Linux has not sorted yet
            order = np.lexsort((rules["type"] != Type.UNDEFINED, places))
            places, rules = places[order], rules[order]
        last = np.append(places[1:] != places[:-1], True)  # of several at one place, the last applies
        return cls(places[last], rules[last])

    @classmethod
    def of_kernel(cls, kernel: Kernel, symbols: Symbols, layout: OrcLayout | None = None) -> Orc:
        """The rules of a kernel. `layout`: None: it is found in them.

        Raises:
            NoOrc: it has none, as when it was built with frame pointers, or they are damaged.
        """
        try:
            address, ips = _array(kernel, symbols, "orc_unwind_ip")
            return cls.of(address, ips, _array(kernel, symbols, "orc_unwind")[1], layout)
        except NoOrc as error:
            raise NoOrc(f"{kernel.path}: {error}") from None

    def text(self, start: int, size: int) -> OrcText:
        """The rules of a text. As in Linux, the first one also applies to what is before it."""
        if not 0 < size < _MOST_TEXT or not 0 <= start <= (1 << 64) - size:
            raise ValueError(f"no text has {size:#x} bytes at {start:#x}")
        first = max(int(np.searchsorted(self.addresses, np.uint64(start), "right")) - 1, 0)
        stop = max(int(np.searchsorted(self.addresses, np.uint64(start + size - 1), "right")), first + 1)
        places = self.addresses[first:stop]
        offsets = np.where(places > start, places - np.uint64(start), 0).astype(np.uint32)
        offsets[0] = 0
        begins = np.arange(0, size + (1 << _SHIFT), 1 << _SHIFT)
        blocks = np.searchsorted(offsets, begins, "right") - 1
        return OrcText(start, size, offsets, self.entries[first:stop].copy(), _SHIFT, blocks.astype(np.uint32))


def kernel_texts(orc: Orc, symbols: Symbols) -> tuple[OrcText, OrcText]:
    """A kernel's text, and the text that it frees when it has booted.

    Raises:
        NoOrc: the symbols do not say where they are.
    """
    found = []
    for names in (("_stext", "_etext"), ("_sinittext", "_einittext")):
        start, end = map(symbols.address, names)
        if start is None or end is None or not start < end < start + _MOST_TEXT:
            raise NoOrc(f"the kernel has no {' or no '.join(names)}")
        found.append(orc.text(start, end - start))
    return found[0], found[1]


def text_without_orc(start: int, size: int) -> OrcText:
    """The text of generated code, such as BPF's or copied instructions. Linux supposes that it uses a frame pointer."""
    guess = np.array([(16, -16, Type.GUESS, _BP, _PREV_SP, 0)], ENTRY)
    return Orc(np.zeros(1, np.uint64), guess).text(start, size)


def _array(kernel: Kernel, symbols: Symbols, name: str) -> tuple[int, bytes]:
    """The address and the contents of an array, by the symbols around it, or by its section: kallsyms may have functions only."""
    begin, end = (symbols.address(f"__{edge}_{name}") for edge in ("start", "stop"))
    if begin is None or end is None:
        begin, end = _section(kernel, f".{name}")
    for segment in kernel.segments:
        if begin < end and segment.virtual <= begin and end - segment.virtual <= len(segment.data):
            return begin, bytes(segment.data[begin - segment.virtual : end - segment.virtual])
    raise NoOrc(f"the ORC tables at {begin:#x} are not in the image")


def _section(kernel: Kernel, name: str) -> tuple[int, int]:
    try:
        section = ELFFile(io.BytesIO(kernel.vmlinux)).get_section_by_name(name)
    except ELFError:
        section = None
    if section is None:
        raise NoOrc("the kernel has no ORC tables (CONFIG_UNWINDER_ORC)")
    return section["sh_addr"], section["sh_addr"] + section["sh_size"]
