# SPDX-License-Identifier: GPL-2.0-only
"""Where the guest's images and the files for building modules are: in the package, or in a checkout."""

from __future__ import annotations

from pathlib import Path

__all__ = ["firmware_directory", "image_directory"]

_PACKAGE = Path(__file__).resolve().parent


def image_directory(arch: str) -> Path:
    """The folder with an architecture's kernel and initramfs: in the package, or in a checkout where they are built."""
    images = _PACKAGE / "images"
    return (images if images.is_dir() else _PACKAGE.parent / "firmware" / "images") / arch


def firmware_directory() -> Path:
    """The folder with the guest kernel's headers and the rules by which modules are built (`module.mk`)."""
    firmware = _PACKAGE / "firmware"
    return firmware if firmware.is_dir() else _PACKAGE.parent / "firmware"
