# SPDX-License-Identifier: GPL-2.0-only
"""Every event's `format` equals that of a real kernel byte for byte, except for its number and inherent differences."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest

from tests.lib.booted_machine import booted_machine
from tests.lib.golden import read_golden

# The golden kernel's configuration of jiffies per second, and the guest's.
BY_NATURE = {"x86_64": {") / 250,": ") / 1000,"}}
# Pages of 8 KiB, and the name of the variable with the address of the first struct page.
BY_NATURE["sparc64"] = {**BY_NATURE["x86_64"], "REC->index << 12": "REC->index << 13", "vmemmap_base": "VMEMMAP_BASE"}
BY_NATURE["riscv64"] = BY_NATURE["x86_64"]

UNSIGNED_CHARS = {"riscv64"}  # a char of C has no sign there

# System calls that x86-64 does not have, or has with other parameters. The golden is from x86-64.
NOT_IN_GOLDEN = {"x86_64": (), "sparc64": ("clone", "fstatfs64", "llseek", "nice", "rt_sigaction", "statfs64")}
NOT_IN_GOLDEN["riscv64"] = ("clone", "riscv_flush_icache")


def golden_formats() -> Mapping[str, str]:
    """The formats of the golden, by SYSTEM/EVENT."""
    blocks = read_golden("format-all.txt.gz").split("== events/")[1:]
    return {path.removesuffix("/format"): text for path, _, text in (block.partition("\n") for block in blocks)}


def without_number(text: str) -> str:
    return re.sub(r"^ID: \d+$", "ID:", text.strip(), flags=re.MULTILINE)


@pytest.fixture(scope="module")
def formats(arch: str) -> Mapping[str, str]:
    """The formats of the guest's kernel, by SYSTEM/EVENT."""
    with booted_machine(arch, cpus=1) as machine:
        fs = machine.tracefs
        systems = [name for name in fs.listdir("events") if fs.exists(f"events/{name}/enable") or name == "ftrace"]
        paths = [f"{system}/{name}" for system in systems for name in fs.listdir(f"events/{system}")]
        return {path: fs.read(f"events/{path}/format") for path in paths if fs.exists(f"events/{path}/format")}


@pytest.mark.static_timing("other models have hardware:sample, which Linux has not")
def test_formats_are_those_of_linux(arch: str, formats: Mapping[str, str]) -> None:
    golden = golden_formats()
    wrong = []
    elsewhere = {f"syscalls/sys_{way}_{name}" for name in NOT_IN_GOLDEN[arch] for way in ("enter", "exit")}
    for path, text in formats.items():
        if path in elsewhere:
            continue
        expected = golden.get(path, "no such event")
        for theirs, ours in BY_NATURE[arch].items():
            expected = expected.replace(theirs, ours)
        if arch in UNSIGNED_CHARS and not path.startswith("ftrace/"):  # the host's own, the same for all
            expected = re.sub(r"(field:(?:__data_loc )?char(?:\[\])? [^\n]*signed:)1", r"\g<1>0", expected)
        if without_number(text) != without_number(expected):
            wrong.append(f"{path}\n{without_number(expected)}\n{without_number(text)}")
    assert wrong == []
    assert len(formats) > 440


def test_numbers_are_unique_and_those_of_the_tracers_fixed(formats: Mapping[str, str]) -> None:
    numbers = {path: int(re.findall(r"^ID: (\d+)$", text, re.MULTILINE)[0]) for path, text in formats.items()}
    assert len(set(numbers.values())) == len(numbers)
    golden = golden_formats()
    fixed = [path for path in numbers if path.startswith("ftrace/")]
    assert all(f"ID: {numbers[path]}\n" in golden[path] for path in fixed) and len(fixed) == 18
    assert min(number for path, number in numbers.items() if path not in fixed) == 20
