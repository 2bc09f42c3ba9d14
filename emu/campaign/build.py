# SPDX-License-Identifier: GPL-2.0-only
"""What the results of a campaign depend on besides its units: emu itself and the libraries that run the machine."""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import importlib.util
import platform
from collections.abc import Mapping
from pathlib import Path

from emu.architectures import ARCHITECTURES
from emu.installation import image_directory

__all__ = ["build", "digest_of_module", "other_part"]

_PACKAGE = Path(__file__).resolve().parents[1]
_LIBRARIES = ("unicorn", "numba", "llvmlite", "numpy", "capstone", "keystone-engine")


@functools.cache
def build() -> dict[str, str]:
    """The digest of emu's sources and images, and the versions of Python and of the libraries, by name."""
    versions = {name: importlib.metadata.version(name) for name in _LIBRARIES}
    return {"emu": _digest(_files()), "python": platform.python_version(), **versions}


def _files() -> list[Path]:
    images = [path for arch in ARCHITECTURES for path in image_directory(arch).iterdir()]
    sources = [path for path in _PACKAGE.rglob("*") if path.suffix != ".pyc" and "images" not in path.relative_to(_PACKAGE).parts]
    return sorted(path for path in (*sources, *images) if path.is_file())


def _digest(files: list[Path]) -> str:
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


def other_part(one: Mapping[str, object], other: Mapping[str, object]) -> str | None:
    """The first name by which two builds differ, or the digests of two sets of modules; None: they are equal."""
    return next((name for name in sorted({*one, *other}) if one.get(name) != other.get(name)), None)


def digest_of_module(name: str) -> str:
    """The digest of a module's source file; "" if the module has none or is part of emu, which `build` covers.

    Raises:
        ValueError: there is no such module.
    """
    if name.partition(".")[0] == "emu":
        return ""
    try:
        found = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        found = None
    if found is None or name == "__main__":
        raise ValueError(f"a unit's function must be in a module that other processes can import, and '{name}' is none")
    return hashlib.sha256(Path(found.origin).read_bytes()).hexdigest()[:16] if found.has_location and found.origin else ""
