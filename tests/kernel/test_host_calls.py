# SPDX-License-Identifier: GPL-2.0-only
"""Host calls: the header's list of them, the document's, and their implementations."""

from __future__ import annotations

import errno
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from emu.kernel import arch as kernel_arch
from emu.kernel.host_calls import HostCalls, host_call
from emu.kernel.image import BadImage, Image, read_image
from emu.machine import Machine, image_directory

ROOT = Path(__file__).resolve().parents[2]


def declared() -> list[tuple[int, str]]:
    """Numbers and names in HOST_CALLS, in order."""
    header = (ROOT / "firmware" / "include" / "emu" / "hostcall.h").read_text()
    return [(int(number), name) for name, number in re.findall(r"\bCALL\((HC_\w+), (\d+)\)", header)]


def test_numbers_ascend() -> None:
    numbers = [number for number, _ in declared()]
    assert len(numbers) > 30
    assert numbers == sorted(set(numbers))


def test_the_document_has_the_same_list() -> None:
    document = (ROOT / "docs" / "board.md").read_text()
    assert [(int(number), name) for number, name in re.findall(r"^\| (\d+) \| (HC_\w+) \|", document, re.MULTILINE)] == declared()


def test_every_host_call_is_answered(machine: Machine) -> None:
    """Either by the board's native devices or by a method in Python, not by both."""
    native = {int(number) for number in np.flatnonzero(machine.board._host_calls)}
    python = machine.kernel.host_calls.numbers
    assert sorted(native | python) == [number for number, _ in declared()]
    assert not native & python


class Answers:
    """A CPU that keeps the results of its host calls, and answers them itself."""

    def __init__(self) -> None:
        self.results: list[int] = []

    def answer(self, result: int) -> None:
        self.results.append(result)

    @host_call
    def ipi(self, cpu: Any, target: int, vector: int) -> int:
        return 100 * target + vector

    @host_call
    def panic(self, cpu: Any) -> None:
        """The guest does not continue."""

    @host_call
    def bug(self, cpu: Any, message: int) -> int:
        raise LookupError(f"address {message:#x}")

    def relax(self, cpu: Any) -> int:
        """A method without a mark."""
        return 0


@pytest.fixture(scope="module")
def image(arch: str) -> Image:
    return read_image(image_directory(arch) / "vmlinux", machine=kernel_arch.load(arch).elf_machine)


@pytest.mark.parametrize(
    ("name", "results"),
    [("IPI", [102]), ("PANIC", []), ("BUG", [-errno.EFAULT]), ("RELAX", [-errno.ENOSYS]), (None, [-errno.ENOSYS])],
)
def test_what_the_guest_is_answered(image: Image, name: str | None, results: list[int]) -> None:
    cpu = Answers()
    number = image.constant(f"HC_{name}") if name else 1 << 40
    HostCalls(image, [cpu]).answer(cpu, number, [1, 2, 3, 4])  # type: ignore[arg-type]  # a CPU for this test
    assert cpu.results == results


def test_a_method_that_answers_no_call_of_the_image_is_refused(image: Image) -> None:
    class Stranger:
        @host_call
        def nothing(self, cpu: Any) -> int:
            return 0

    with pytest.raises(BadImage, match="no HC_NOTHING"):
        HostCalls(image, [Stranger()])
