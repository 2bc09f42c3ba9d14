# SPDX-License-Identifier: GPL-2.0-only
"""The RAM disk behaves as its header in the firmware documents."""

from __future__ import annotations

import re
from pathlib import Path

from emu.cpu.ramdisk import Operation
from emu.kernel.block import TAG_BITS

HEADER = Path(__file__).resolve().parents[2] / "firmware" / "include" / "emu" / "ramdisk.h"


def test_operations_are_those_of_the_header() -> None:
    defined = re.findall(r"#define RAMDISK_(READ|WRITE)\s+(\d+)", HEADER.read_text())
    assert {name: int(value) for name, value in defined} == {operation.name: operation.value for operation in Operation}


def test_tag_and_failure_lie_in_the_result_as_the_header_has_them() -> None:
    text = HEADER.read_text()
    [mask] = re.findall(r"#define RAMDISK_TAG\(result\)\s+\(\(result\) & (0x\w+)\)", text)
    [shift] = re.findall(r"#define RAMDISK_FAILED\(result\)\s+\(\(result\) >> (\d+)\)", text)
    assert (int(mask, 16), int(shift)) == ((1 << TAG_BITS) - 1, TAG_BITS)
