# SPDX-License-Identifier: GPL-2.0-only
"""The throughput of single blocks."""

from __future__ import annotations

import pytest

from emu.cpu.arch.x86_64.zen3 import ZEN3
from emu.cpu.arch.x86_64.zen4 import ZEN4
from emu.cpu.timing import CYCLE
from emu.cpu.timing.core import Core
from emu.cpu.timing.schedule import dispatched, issue_time, store_runs, store_time
from tests.cpu.timing.assembly import described


def _slots(text: str, core: Core = ZEN3) -> list[int]:
    return dispatched(described(text, core), core)


def _issue(text: str) -> int:
    code = described(text)
    return issue_time(code, dispatched(code, ZEN3), ZEN3)


@pytest.mark.parametrize("mnemonic", ["cmp", "test", "add", "sub", "and", "or", "xor"])
def test_what_sets_flags_is_one_with_the_conditional_jump_behind_it(mnemonic: str):
    assert _slots(f"{mnemonic} rax, rcx; jne 0x2000") == [1, 0]


@pytest.mark.parametrize(
    "text",
    ["cmp rax, qword ptr [rbx]; jne 0x2000", "bt rax, rcx; jb 0x2000", "shl rax, 1; je 0x2000", "cmp rax, rcx; jmp 0x2000"],
)
def test_what_is_not_one_with_the_jump_behind_it(text: str):
    assert _slots(text) == [1, 1]


def test_the_compare_must_be_next_to_the_jump():
    assert _slots("cmp rax, rcx; mov rdx, rsi; jne 0x2000") == [1, 1, 1]


def test_zen_4_fuses_a_nop_with_what_is_before_it():
    assert _slots("add rax, 1; nop; nop", ZEN3) == [1, 1, 1]
    assert _slots("add rax, 1; nop; add rcx, 1", ZEN4) == [1, 0, 1]


@pytest.mark.parametrize(
    ("text", "cycles"),
    [
        ("; ".join(["nop"] * 60), 10),  # six a cycle
        ("; ".join(["shl eax, 1"] * 4), 2),  # two units shift
        ("imul rax, rcx; imul rdx, rcx; imul rsi, rcx", 3),  # one unit multiplies
        ("; ".join(["add eax, 1", "shl ecx, 1"] * 4), 2),  # eight for four units; four of them only run on two
        ("lock add dword ptr [rbx], 1; lock add dword ptr [rcx], 1", 2 * ZEN3.locked),
        ("; ".join(f"movups xmm{n}, [rbx + {16 * n}]" for n in range(4)), 2 * ZEN3.load_busy / CYCLE),
    ],
)  # fmt: skip
def test_the_most_loaded_resource_decides(text: str, cycles: float):
    assert _issue(text) == pytest.approx(cycles * CYCLE, abs=ZEN3.line)


def test_long_code_is_slower():
    assert _issue("; ".join(["nop dword ptr [rax + rax + 0x12345]"] * 6)) > _issue("; ".join(["nop"] * 6))


def _stores(*places: str) -> str:
    return "; ".join(f"mov qword ptr [{place}], rax" for place in places)


@pytest.mark.parametrize(
    ("places", "half_cycles"),
    [
        (("rbx",), 1),
        (("rbx", "rbx + 8"), 2),
        (("rbx", "rcx"), 4),
        (("rbx", "rbx + 48"), 4),  # another block of 32 bytes
        (("rbx", "rbx + 8", "rcx", "rcx + 8"), 4),
        (("rbx", "rcx", "rbx + 8", "rcx + 8"), 8),
        (("rbx", "rbx + 8", "rbx + 16", "rcx"), 4),
        (("rbx", "rbx + 8", "rbx + 16", "rbx + 24", "rcx"), 5),
        (("rbx", "rcx", "rbx + 8"), 4),  # the first follows the last
    ],
)  # fmt: skip
def test_stores_in_a_row_into_one_block_leave_two_a_cycle(places: tuple[str, ...], half_cycles: int):
    assert store_time(described(_stores(*places)), ZEN3) == half_cycles * CYCLE // 2


def test_vector_stores_leave_one_a_cycle():
    assert store_time(described("movups [rbx], xmm0; movups [rbx + 16], xmm0"), ZEN3) == 2 * CYCLE


def test_pushes_go_to_one_block_after_the_other():
    assert store_runs(described("; ".join(["push rax"] * 6)), ZEN3) == [4, 2]
    assert store_runs(described("push rax; pop rcx; push rax"), ZEN3) == [2]
