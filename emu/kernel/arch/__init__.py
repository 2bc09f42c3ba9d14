# SPDX-License-Identifier: GPL-2.0-only
"""What an architecture says of kernels: how their images are marked."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

__all__ = ["KernelArch", "load"]


@dataclass(frozen=True)
class KernelArch:
    """An architecture's kernels."""

    elf_machine: str  # e_machine of an image, as pyelftools names it


def load(name: str) -> KernelArch:
    """The architecture's part; `name` is one that `emu.cpu.arch.load` knows."""
    module: Any = importlib.import_module(f"emu.kernel.arch.{name}")
    arch: KernelArch = module.ARCH
    return arch
