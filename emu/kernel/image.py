# SPDX-License-Identifier: GPL-2.0-only
"""The guest kernel's ELF image: segments, symbols, the layout table and the recorded call sites."""

from __future__ import annotations

import bisect
import errno
import functools
import hashlib
import io
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

__all__ = ["STT_FUNC", "BadImage", "Image", "Symbol", "SymbolTable", "read_image", "symbol_record"]

_SAME_EVERYWHERE = errno.ERANGE  # error numbers up to here are equal on every Linux

_KEPT = 2  # images per process
_LAYOUT_NAME = 48  # bytes of a name in the layout table
_SHN_UNDEF, _SHN_ABS = 0, 0xFFF1  # System V ABI, 4: section indices
STT_FUNC = 2  # ... and the type of a function's symbol: the low four bits of `info`


class BadImage(ValueError):
    """A file is not a kernel image that this machine can boot."""


@dataclass(frozen=True)
class Symbol:
    """A named address of the image."""

    name: str
    address: int
    size: int


class SymbolTable:
    """Symbols that can be looked up by address. Iterating yields them in address order."""

    def __init__(self, symbols: Iterable[Symbol]) -> None:
        self._symbols = sorted(symbols, key=lambda symbol: symbol.address)
        self._addresses = [symbol.address for symbol in self._symbols]

    @classmethod
    def reaching(cls, named: Iterable[tuple[int, str]], end: int) -> SymbolTable:
        """Symbols that each reach to the next one, as in Linux; the last one reaches to `end`.

        `named`: the address and the name of each, in address order; of several at one address, the first is taken.
        """
        names: dict[int, str] = {}
        for address, name in named:
            names.setdefault(address, name)
        ends = [*list(names)[1:], end]
        return cls(Symbol(name, address, until - address) for (address, name), until in zip(names.items(), ends, strict=False))

    def __iter__(self) -> Iterator[Symbol]:
        return iter(self._symbols)

    def last_begun(self, address: int) -> Symbol | None:
        """The last symbol that begins at or before an address; of several names there, the first one given."""
        index = bisect.bisect_right(self._addresses, address) - 1
        while index > 0 and self._addresses[index - 1] == self._addresses[index]:
            index -= 1
        return self._symbols[index] if index >= 0 else None

    def at(self, address: int) -> Symbol | None:
        """The symbol that contains an address; None if there is none."""
        found = self.last_begun(address)
        return found if found is not None and address < found.address + found.size else None


def symbol_record(byte_order: str) -> np.dtype[np.void]:
    """An entry of a symbol table, Elf64_Sym (System V ABI, 4, "Symbol Table"). `byte_order`: as in `Image.byte_order`."""
    fields = (("name", "u4"), ("info", "u1"), ("other", "u1"), ("section", "u2"), ("value", "u8"), ("size", "u8"))
    return np.dtype([(name, byte_order + kind) for name, kind in fields])


def _symbols(table: SymbolTableSection, byte_order: str) -> Iterator[tuple[str, int, int, int]]:
    """The name, value, size and type of each symbol that the image defines.

    numpy reads all symbols at once: reading them one by one would take longer than a boot.
    """
    entries = np.frombuffer(table.data(), symbol_record(byte_order))
    entries = entries[(entries["section"] != _SHN_UNDEF) & (entries["section"] != _SHN_ABS) & (entries["name"] != 0)]
    names: bytes = table.stringtable.data()
    columns = (entries[column].tolist() for column in ("name", "value", "size", "info"))
    for start, value, size, info in zip(*columns, strict=True):
        yield names[start : names.index(b"\0", start)].decode(), value, size, info & 0xF


def _layout(table: bytes, byte_order: str) -> Mapping[str, tuple[int, int]]:
    """The entries of the layout table, by name."""
    record = np.dtype([("name", f"S{_LAYOUT_NAME}"), ("value", byte_order + "u8"), ("size", byte_order + "u8")])
    return {row["name"].decode(): (int(row["value"]), int(row["size"])) for row in np.frombuffer(table, record)}


def _kallsyms(table: bytes, byte_order: str) -> Sequence[tuple[int, str, str]]:
    """The address, type and name of each symbol in the kernel's own table, which has their number, addresses, types and names."""
    count = int.from_bytes(table[:8], "little" if byte_order == "<" else "big")
    addresses = np.frombuffer(table, byte_order + "u8", count, 8).tolist()
    names = table[8 * (1 + count) :].split(b"\0", count)[:count]
    return [(address, name[:1].decode(), name[1:].decode()) for address, name in zip(addresses, names, strict=True)]


def read_image(path: Path, *, machine: str) -> Image:
    """The image in an ELF file. It is read once, as long as the file does not change. `machine`: as for `Image`.

    Raises:
        BadImage: the file is not an ELF file, is for another machine, or was built without call sites.
        OSError: the file cannot be read.
    """
    with path.open("rb") as file:
        data = file.read(os.fstat(file.fileno()).st_size)  # a device has size 0, but may be endless
    return _image(path, data, machine)


@functools.lru_cache(_KEPT)
def _image(path: Path, data: bytes, machine: str) -> Image:
    return Image(path, data, machine=machine)


class Image:
    """A kernel image. It never changes, so machines share it.

    Args:
        path: of the file, for messages.
        data: the file's contents.
        machine: the architecture, by the name of its constant in the ELF header.

    Attributes:
        byte_order: "<" or ">", as numpy and struct write it.
        layout: the table made from the kernel's own headers, by name: (offset, size) of a member, (0, size) of a structure,
            (value, 0) of a constant.
        sites: addresses of all recorded call sites, ascending.
        functions: all functions, in address order.
        kallsyms: address, type (as in nm) and name of each line of /proc/kallsyms, functions and variables, in its order;
            of several at one address, traces use the first name.

    Raises:
        BadImage: as `read_image`.
    """

    def __init__(self, path: Path, data: bytes, *, machine: str) -> None:
        self.path = path
        self.digest = hashlib.sha256(data).hexdigest()
        try:
            # A damaged image may contain any offset and any size. A file in memory bounds them.
            elf = ELFFile(io.BytesIO(data))
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
            kallsyms = elf.get_section_by_name(".kallsyms")
            sites = elf.get_section_by_name("__mcount_loc")
            if not sites:
                raise BadImage(f"{path}: no __mcount_loc section: it was not built for tracing")
            if not layout:
                raise BadImage(f"{path}: no .emu.layout section")
            if not kallsyms:
                raise BadImage(f"{path}: no .kallsyms section")
            self.layout = _layout(layout.data(), self.byte_order)
            self.kallsyms = _kallsyms(kallsyms.data(), self.byte_order)
            self.sites = np.sort(np.frombuffer(sites.data(), self.byte_order + "u8").astype(np.uint64))
            self.sites.flags.writeable = False
            self._text = [(s["sh_addr"], s["sh_addr"] + s["sh_size"]) for s in elf.iter_sections() if s["sh_flags"] & 4]
        except BadImage:
            raise
        except (ELFError, LookupError, ValueError, OverflowError) as error:
            raise BadImage(f"{path}: not an ELF image ({error})") from None
        # Of several symbols with one name, the lowest address counts, as in kallsyms_lookup_name().
        self.symbols: Mapping[str, int] = {
            name: value for name, value, _, _ in sorted(symbols, key=lambda symbol: symbol[1], reverse=True)
        }
        # Of several functions at one address, the one defined first comes first.
        self.functions = SymbolTable(Symbol(name, value, size) for name, value, size, kind in symbols if kind == STT_FUNC)

    @functools.cached_property
    def named_places(self) -> SymbolTable:
        """The names that traces use: those of kallsyms from _stext to _end, each up to the next one."""
        start, end = self.symbol("_stext"), self.symbol("_end")
        return SymbolTable.reaching(((at, name) for at, _, name in self.kallsyms if start <= at < end), end)

    @functools.cached_property
    def site_functions(self) -> Sequence[str]:
        """The name of each site's function.

        Raises:
            BadImage: a site is in no function.
        """
        names = []
        for address in self.sites.tolist():
            function = self.function_at(address)
            if function is None:
                raise BadImage(f"{self.path}: the call site {address:#x} is in no function")
            names.append(function.name)
        return names

    def symbol(self, name: str) -> int:
        """The address of a symbol.

        Raises:
            BadImage: the image has no symbol of that name.
        """
        try:
            return self.symbols[name]
        except KeyError:
            raise BadImage(f"{self.path}: no symbol {name}") from None

    def function_at(self, address: int) -> Symbol | None:
        """The function that contains an address; None if there is none."""
        found = self.functions.last_begun(address)
        if found is None or (address >= found.address + max(found.size, 1) and not self._in_text_gap(address, found)):
            return None
        return found

    def _in_text_gap(self, address: int, before: Symbol) -> bool:
        """Padding, and assembly labels without a size, belong to the preceding function of the section."""
        for start, end in self._text:
            if start <= address < end:
                return bool(before.address >= start)
        return False

    def offset(self, name: str) -> int:
        """The offset of a member in its structure, in bytes: offset("task_struct.pid").

        Raises:
            BadImage: the layout table has no such name. `size` and `constant` raise it too.
        """
        return self._entry(name)[0]

    def size(self, name: str) -> int:
        """The size of a member or a structure, in bytes."""
        return self._entry(name)[1]

    def constant(self, name: str) -> int:
        """A constant of the kernel's headers: constant("HC_IPI")."""
        return self._entry(name)[0]

    def error_number(self, number: int) -> int:
        """The guest's number for an error of the host; EIO for an error that the guest does not have."""
        if number <= _SAME_EVERYWHERE:
            return number
        name = errno.errorcode.get(number, "")
        return self.constant(name) if name in self.layout else errno.EIO

    def structure(self, name: str, members: Sequence[str]) -> np.dtype[np.void]:
        """A structure as a numpy type, with some of its members as unsigned numbers."""
        return np.dtype(
            {
                "names": list(members),
                "formats": [f"{self.byte_order}u{self.size(f'{name}.{member}')}" for member in members],
                "offsets": [self.offset(f"{name}.{member}") for member in members],
                "itemsize": self.size(name),
            }
        )

    def _entry(self, name: str) -> tuple[int, int]:
        try:
            return self.layout[name]
        except KeyError:
            raise BadImage(f"{self.path}: its layout table has no {name}") from None
