# SPDX-License-Identifier: GPL-2.0-only
"""The guest kernel's ELF image: segments, symbols, the layout table and the recorded call sites."""

from __future__ import annotations

import bisect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt
from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

__all__ = ["BadImage", "Image", "Symbol"]

_LAYOUT_NAME = 56  # bytes of a name in the layout table
_SHN_UNDEF, _SHN_ABS, _STT_FUNC = 0, 0xFFF1, 2  # System V ABI, 4: section indices, types of symbols


class BadImage(ValueError):
    """A file is not a kernel image this machine can boot."""


@dataclass(frozen=True)
class Symbol:
    """A named address of the image."""

    name: str
    address: int
    size: int


def _symbols(table: SymbolTableSection, byte_order: str) -> Iterator[tuple[str, int, int, int]]:
    """Name, value, size and type of what the image defines. All at once: one by one they take longer than to boot it."""
    fields = [("name", "u4"), ("info", "u1"), ("other", "u1"), ("section", "u2"), ("value", "u8"), ("size", "u8")]
    entries = np.frombuffer(table.data(), [(name, byte_order + kind) for name, kind in fields])
    entries = entries[(entries["section"] != _SHN_UNDEF) & (entries["section"] != _SHN_ABS) & (entries["name"] != 0)]
    names: bytes = table.stringtable.data()
    columns = (entries[column].tolist() for column in ("name", "value", "size", "info"))
    for start, value, size, info in zip(*columns, strict=True):
        yield names[start : names.index(b"\0", start)].decode(), value, size, info & 0xF


class Image:
    """A kernel image, read from an ELF file.

    Raises:
        BadImage: the file is no ELF, is for another machine, or was built without call sites.
        OSError: it cannot be read.
    """

    def __init__(self, path: Path, *, machine: str) -> None:
        self.path = path
        with path.open("rb") as file:
            try:
                elf = ELFFile(file)
                if elf["e_machine"] != machine:
                    raise BadImage(f"{path}: an image for {elf['e_machine']}, not {machine}")
                self.byte_order = "<" if elf.little_endian else ">"
                self.entry: int = elf["e_entry"]
                self.segments = [(s["p_paddr"], s.data(), s["p_memsz"]) for s in elf.iter_segments("PT_LOAD")]
                table = elf.get_section_by_name(".symtab")
                if not isinstance(table, SymbolTableSection):
                    raise BadImage(f"{path}: no symbols")
                symbols = list(_symbols(table, self.byte_order))
                layout = elf.get_section_by_name(".emu.layout")
                sites = elf.get_section_by_name("__mcount_loc")
                self._layout_data = layout.data() if layout else b""
                self._site_data = sites.data() if sites else b""
                self._text = [
                    (s["sh_addr"], s["sh_addr"] + s["sh_size"]) for s in elf.iter_sections() if s["sh_flags"] & 4
                ]
            except BadImage:
                raise
            except (ELFError, KeyError, IndexError, ValueError) as error:
                raise BadImage(f"{path}: not an ELF image ({error})") from None
        if not self._site_data:
            raise BadImage(f"{path}: no __mcount_loc section: it was not built for tracing")
        if not self._layout_data:
            raise BadImage(f"{path}: no .emu.layout section")
        self.symbols: Mapping[str, int] = {name: value for name, value, _, _ in symbols}
        # Of several names at one address the function's comes first, then the one that was defined first.
        self._by_address = sorted(
            (Symbol(name, value, size) for name, value, size, kind in symbols if kind == _STT_FUNC),
            key=lambda s: s.address,
        )
        self._addresses = [s.address for s in self._by_address]

    def symbol(self, name: str) -> int:
        """The address of a symbol.

        Raises:
            BadImage: the image has none of that name.
        """
        try:
            return self.symbols[name]
        except KeyError:
            raise BadImage(f"{self.path}: no symbol {name}") from None

    def function_at(self, address: int) -> Symbol | None:
        """The function that contains an address."""
        index = bisect.bisect_right(self._addresses, address) - 1
        if index < 0:
            return None
        found = self._by_address[index]
        while index and self._addresses[index - 1] == found.address:
            index -= 1
        found = self._by_address[index]
        if address >= found.address + max(found.size, 1) and not self._in_text_gap(address, index):
            return None
        return found

    def _in_text_gap(self, address: int, index: int) -> bool:
        """Padding after a function, and assembly labels without a size, belong to what came before in the same section."""
        for start, end in self._text:
            if start <= address < end:
                return bool(self._addresses[index] >= start)
        return False

    @cached_property
    def functions(self) -> list[Symbol]:
        """All functions, in address order."""
        return self._by_address

    @cached_property
    def layout(self) -> Mapping[str, tuple[int, int]]:
        """The table of names, offsets and sizes made from the kernel's own headers."""
        record = np.dtype([("name", f"S{_LAYOUT_NAME}"), ("value", self.byte_order + "u4"), ("size", self.byte_order + "u4")])
        rows = np.frombuffer(self._layout_data, record)
        return {row["name"].decode(): (int(row["value"]), int(row["size"])) for row in rows}

    def offset(self, name: str) -> int:
        """The value of a layout entry: a member's offset ("task_struct.pid") or a constant ("HC_IPI").

        Raises:
            BadImage: the image's table has no such name.
        """
        try:
            return self.layout[name][0]
        except KeyError:
            raise BadImage(f"{self.path}: its layout table has no {name}") from None

    def size(self, name: str) -> int:
        """The size of a layout entry, in bytes.

        Raises:
            BadImage: the image's table has no such name.
        """
        self.offset(name)
        return self.layout[name][1]

    @cached_property
    def sites(self) -> npt.NDArray[np.uint64]:
        """Addresses of all recorded call sites, ascending."""
        return np.sort(np.frombuffer(self._site_data, self.byte_order + "u8").astype(np.uint64))
