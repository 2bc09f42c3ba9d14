# SPDX-License-Identifier: GPL-2.0-only
"""The architectures that every benchmark measures in one run: all that have images."""

from __future__ import annotations

from emu.architectures import ARCHITECTURES
from emu.machine import image_directory

__all__ = ["ARCHES"]

ARCHES = [arch for arch in ARCHITECTURES if (image_directory(arch) / "vmlinux").exists()]
