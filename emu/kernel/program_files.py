# SPDX-License-Identifier: GPL-2.0-only
"""Guest files that the host can read, and the places of functions in those that are programs or libraries."""

from __future__ import annotations

import functools
import io
import posixpath
import stat
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from emu.kernel.cpio import Entry, read_entries

__all__ = ["ProgramFiles", "Programs", "UnknownPlace"]

_MOST_LINKS = 40  # in one path, as in Linux
_TABLES = (".symtab", ".dynsym")
_CODE = ("STT_FUNC", "STT_GNU_IFUNC", "STT_NOTYPE", "STT_OBJECT")


class UnknownPlace(LookupError):
    """The file does not exist, or does not have the symbol. `names`: those that exist."""

    def __init__(self, why: str, names: Sequence[str] = ()) -> None:
        super().__init__(why)
        self.why = why
        self.names = names


class Programs(ABC):
    """Programs and libraries of a guest."""

    def file_offset(self, path: str, symbol: str) -> int:
        """The offset of a symbol in a file of the guest, for uprobe_events.

        Args:
            path: the program's or library's absolute path in the guest.
            symbol: its name, in .symtab or .dynsym.

        Raises:
            UnknownPlace: the file does not exist, is not an ELF file, or does not have the symbol.
        """
        content = self.contents(path)
        if content is None:
            raise UnknownPlace(f"there is no file {path}, as far as the host knows")
        try:
            elf = ELFFile(io.BytesIO(content))
            symbols = dict(_symbols(elf))
            if symbol in symbols:
                return _offset(elf, symbols[symbol], f"{path}: {symbol}")
        except (ELFError, ValueError, OverflowError, AssertionError, KeyError):  # a damaged file can contain anything
            raise UnknownPlace(f"{path} is no ELF file") from None
        if not symbols:
            raise UnknownPlace(f"{path} has no symbols: it is stripped")
        raise UnknownPlace(f"{path} has no symbol '{symbol}'", list(symbols))

    @abstractmethod
    def contents(self, path: str) -> bytes | None:
        """The contents of a file of the guest; None if the host does not know it."""


class ProgramFiles(Programs):
    """The files of the guest's initramfs and of host folders that it has mounted. Files written by the guest are not seen.

    Args:
        archive: the initramfs, in the newc format; it is read only when needed.
        folders: host folders and their paths in the guest; the last match counts.
        below: likewise, for folders that are visible where the initramfs has nothing.
    """

    def __init__(
        self, archive: bytes, folders: Sequence[tuple[str, Path]], below: Sequence[tuple[str, Path]] = ()
    ) -> None:
        self._archive = archive
        self._folders = [(posixpath.normpath(point), folder) for point, folder in reversed(folders)]
        self._below = below

    def contents(self, path: str) -> bytes | None:
        for _ in range(_MOST_LINKS):
            path = posixpath.normpath(path)
            mounted = next(_within(self._folders, path), None)
            if mounted is not None:
                return _read(*mounted)
            entry, rest = self._entry(path)
            if entry is None:
                return next((content for place in _within(self._below, path) if (content := _read(*place)) is not None), None)
            if not stat.S_ISLNK(entry.mode):
                return None if rest else entry.data
            path = posixpath.join("/", posixpath.dirname(entry.name), entry.data.decode(errors="surrogateescape"), rest)
        return None

    @functools.cached_property
    def _entries(self) -> Mapping[str, Entry]:
        """The entries of the initramfs, by path."""
        return {f"/{entry.name}": entry for entry in read_entries(self._archive)}

    def _entry(self, path: str) -> tuple[Entry | None, str]:
        """The file or the first link on a path, and the rest of the path after it."""
        parts = path.split("/")
        for count in range(2, len(parts) + 1):
            found = self._entries.get("/".join(parts[:count]))
            if found is not None and not stat.S_ISDIR(found.mode):
                return found, "/".join(parts[count:])
        return None, ""


def _within(folders: Sequence[tuple[str, Path]], path: str) -> Iterator[tuple[Path, str]]:
    """The folders that contain a path, with the rest of the path."""
    for point, folder in folders:
        if path.startswith(f"{point.rstrip('/')}/"):
            yield folder, path[len(point) :]


def _read(folder: Path, rest: str) -> bytes | None:
    """A file in a shared folder. As for the guest, links must not lead out of the folder."""
    try:
        file = (folder / rest.lstrip("/")).resolve(strict=True)
        return file.read_bytes() if file.is_file() and file.is_relative_to(folder.resolve()) else None
    except (OSError, RuntimeError):  # RuntimeError: the links form a loop
        return None


def _symbols(elf: ELFFile) -> Iterator[tuple[str, int]]:
    """The names and addresses of defined symbols; of several with one name, the first in .symtab counts."""
    seen = set()
    for name in _TABLES:
        table = elf.get_section_by_name(name)
        if not isinstance(table, SymbolTableSection):
            continue
        for symbol in table.iter_symbols():
            defined = symbol["st_shndx"] != "SHN_UNDEF" and symbol["st_info"]["type"] in _CODE
            if symbol.name and defined and symbol.name not in seen:
                seen.add(symbol.name)
                yield symbol.name, int(symbol["st_value"])


def _offset(elf: ELFFile, address: int, what: str) -> int:
    for segment in elf.iter_segments("PT_LOAD"):
        if segment["p_vaddr"] <= address < segment["p_vaddr"] + segment["p_filesz"]:
            return int(address - segment["p_vaddr"] + segment["p_offset"])
    raise UnknownPlace(f"{what} is not in the file")
