# SPDX-License-Identifier: GPL-2.0-only
"""Files and folders that units read, known by their contents."""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

__all__ = ["changed", "digests_of"]


def digests_of(paths: Iterable[Path | str]) -> dict[str, str]:
    """The digests of files and folders, by absolute path.

    Raises:
        OSError: one cannot be read.
    """
    return {os.path.abspath(path): _digest(Path(os.path.abspath(path))) for path in paths}


def changed(inputs: Mapping[str, str]) -> str | None:
    """A path whose contents here are not those of the digest; None if all are.

    Raises:
        OSError: one cannot be read.
    """
    return next((path for path, digest in inputs.items() if _digest(Path(path)) != digest), None)


def _digest(path: Path) -> str:
    """The digest of a file, or of the names and contents of a folder's files."""
    if not path.is_dir():
        return _of_file(path, _state(path))
    digest = hashlib.sha256()
    for file in sorted(_below(path)):
        contents = os.readlink(file) if file.is_symlink() else _of_file(file, _state(file)) if file.is_file() else ""
        digest.update(f"{file.relative_to(path)}\0{file.lstat().st_mode:o}\0{contents}\n".encode(errors="surrogateescape"))
    return digest.hexdigest()[:32]


def _below(folder: Path) -> Iterator[Path]:
    for root, folders, files in os.walk(folder):
        yield from (Path(root, name) for name in (*folders, *files))


def _state(path: Path) -> tuple[int, int, int]:
    status = path.stat()
    return status.st_ino, status.st_size, status.st_mtime_ns


@functools.lru_cache(maxsize=4096)
def _of_file(path: Path, state: tuple[int, int, int]) -> str:
    """The digest of a file, computed once for each of its states."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:32]
