# SPDX-License-Identifier: GPL-2.0-only
"""Files of the guest that the host has, too, and where functions lie in those that are programs or libraries."""

from __future__ import annotations

import functools
import io
import posixpath
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from emu.kernel.cpio import Entry, read_entries

__all__ = ["ProgramFiles", "UnknownPlace"]

_MOST_LINKS = 40  # in one path, as in Linux
_TABLES = (".symtab", ".dynsym")
_CODE = ("STT_FUNC", "STT_GNU_IFUNC", "STT_NOTYPE", "STT_OBJECT")


class UnknownPlace(LookupError):
    """There is no such file, or it has no such symbol. `names` are those that it has."""

    def __init__(self, why: str, names: Sequence[str] = ()) -> None:
        super().__init__(why)
        self.why = why
        self.names = names


class ProgramFiles:
    """What lies in the guest's initramfs and in folders of the host that it has mounted. What the guest has written is not seen.

    Args:
        archive: the initramfs, in the format "newc"; it is not read before somebody asks.
        folders: where the guest finds which folder of the host; the last one counts.
        below: the same, of folders that are seen where the initramfs has nothing.
    """

    def __init__(
        self, archive: bytes, folders: Sequence[tuple[str, Path]], below: Sequence[tuple[str, Path]] = ()
    ) -> None:
        self._archive = archive
        self._folders = [(posixpath.normpath(point), folder) for point, folder in reversed(folders)]
        self._below = below

    def file_offset(self, path: str, symbol: str) -> int:
        """Where a symbol's first byte is in a file of the guest: what uprobe_events takes.

        Args:
            path: of the program or library in the guest, absolute.
            symbol: its name, in .symtab or .dynsym.

        Raises:
            UnknownPlace: there is no such file, it is no ELF file, or it has no such symbol.
        """
        content = self._content(path)
        if content is None:
            raise UnknownPlace(f"there is no file {path}, as far as the host knows")
        try:
            elf = ELFFile(io.BytesIO(content))
            symbols = dict(_symbols(elf))
            if symbol in symbols:
                return _offset(elf, symbols[symbol], f"{path}: {symbol}")
        except (ELFError, ValueError, OverflowError, AssertionError, KeyError):  # a damaged one can say anything
            raise UnknownPlace(f"{path} is no ELF file") from None
        if not symbols:
            raise UnknownPlace(f"{path} has no symbols: it is stripped")
        raise UnknownPlace(f"{path} has no symbol '{symbol}'", list(symbols))

    def _content(self, path: str) -> bytes | None:
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
        """What the initramfs has, by path."""
        return {f"/{entry.name}": entry for entry in read_entries(self._archive)}

    def _entry(self, path: str) -> tuple[Entry | None, str]:
        """The file or the first link on a path, and what of the path is behind it."""
        parts = path.split("/")
        for count in range(2, len(parts) + 1):
            found = self._entries.get("/".join(parts[:count]))
            if found is not None and not stat.S_ISDIR(found.mode):
                return found, "/".join(parts[count:])
        return None, ""


def _within(folders: Sequence[tuple[str, Path]], path: str) -> Iterator[tuple[Path, str]]:
    """The folders in which a path leads, and the rest of the path."""
    for point, folder in folders:
        if path.startswith(f"{point.rstrip('/')}/"):
            yield folder, path[len(point) :]


def _read(folder: Path, rest: str) -> bytes | None:
    """A file in a folder that is shared; links may not lead out of it, as for the guest."""
    try:
        file = (folder / rest.lstrip("/")).resolve(strict=True)
        return file.read_bytes() if file.is_file() and file.is_relative_to(folder.resolve()) else None
    except (OSError, RuntimeError):  # RuntimeError: links go round in a circle
        return None


def _symbols(elf: ELFFile) -> Iterator[tuple[str, int]]:
    """Names and addresses of what is defined; of two with one name the first of .symtab counts."""
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
