# SPDX-License-Identifier: GPL-2.0-only
"""Kernel images: what is none is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from emu.machine import BadImage, Machine


def test_an_image_that_cannot_be_booted_is_refused(arch: str, tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("no image")
    with pytest.raises(BadImage, match="not an ELF image"):
        Machine(arch=arch, image=text)
