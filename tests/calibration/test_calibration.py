# SPDX-License-Identifier: GPL-2.0-only
"""Errors, halves, bodies of blocks, and tables of stored measurements."""

import json
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import keystone
import pytest

from calibration import stored, tables
from calibration.blocks.bodies import (
    RELATIVE,
    body_of,
    carries_through_memory,
    disassembly,
    is_special,
    may_meet,
    relatives,
)
from calibration.blocks.collect import stored_bodies
from calibration.blocks.entries import blocks_of
from calibration.blocks.measure import _smallest_frequent
from calibration.blocks.rows import row_code, rows_of
from calibration.errors import errors, kendall_tau
from calibration.events.model import Event
from calibration.models import Model, core_named
from calibration.programs.cases import CASES, make_files
from calibration.programs.measure import programs_of


def assemble(text: str) -> bytes:
    code, _ = keystone.Ks(keystone.KS_ARCH_X86, keystone.KS_MODE_64).asm(text, as_bytes=True)
    return bytes(code)


def test_errors_of_predictions() -> None:
    found = errors([1.0, 3.0, 2.0], [2.0, 2.0, 4.0])
    assert found.number == 3
    assert found.mean == found.median == 0.5
    assert found.signed == pytest.approx(-1 / 6)
    assert found.bias == -0.25


def test_tau_counts_pairs() -> None:
    a, b = [1, 2, 3, 3, 5, 4], [2, 1, 3, 4, 4, 9]
    score = sum((x > y) - (x < y) if u != v else 0 for (x, u), (y, v) in combinations(zip(a, b, strict=True), 2) if u < v)
    score -= sum((x > y) - (x < y) if u != v else 0 for (x, u), (y, v) in combinations(zip(a, b, strict=True), 2) if u > v)
    assert kendall_tau(a, b) == pytest.approx(-score / 14)  # 15 pairs; one is a tie in a, and another one in b
    assert kendall_tau(a, a) == pytest.approx(1)
    assert kendall_tau(a, [-x for x in a]) == pytest.approx(-1)


def test_halves_are_halves() -> None:
    halves = [stored.held_out(code) for bodies in stored_bodies().values() for code in bodies]
    assert 0.45 < sum(halves) / len(halves) < 0.55
    assert stored.held_out(b"\x90") == stored.held_out(b"\x90")


def test_a_body_ends_where_control_flow_leaves() -> None:
    assert body_of(assemble("mov rax, rbx; add rax, 1; ret; nop")) == assemble("mov rax, rbx; add rax, 1")
    assert body_of(assemble("nop; ret")) is None
    assert body_of(assemble("mov rax, rbx; hlt; nop")) is None
    assert body_of(assemble("mov rax, rbx; mov rcx, cr3")) is None


def test_a_body_does_not_depend_on_where_it_was() -> None:
    def load(displacement: int) -> bytes:
        return b"\x48\x8b\x05" + displacement.to_bytes(4, "little") + b"\x48\x89\x05" + (displacement + 1).to_bytes(4, "little")

    first, second = body_of(load(0x1000), 0x40), body_of(load(0x40000), 0x40)
    assert first is not None
    assert first == second
    targets = [target for _, _, target in relatives(first)]
    assert targets[1] - targets[0] == 8
    assert targets[0] == RELATIVE + (0x1000 + 7 + 0x40) % 64


def test_variables_of_blocks_in_a_row_are_apart() -> None:
    body = body_of(b"\x48\x8b\x05\0\x10\0\0\x90")
    assert body is not None
    first, second = (target for _, _, target in relatives(row_code([body, body])))
    assert second - first > 64


@pytest.mark.parametrize(
    ("text", "meets"),
    [
        ("mov rax, [rdi]; mov rcx, [rsi]; mov [rax], rdx; mov rbx, [rcx]", True),
        ("mov rax, rdi; mov [rax], rdx; mov rbx, [rdi]", True),
        ("mov [rdi], rdx; mov rbx, [rsi]", False),
        ("mov rax, [rdi]; mov rbx, [rax]; mov [rsi], rbx", False),
        ("push rbx; pop rcx", False),
    ],
)
def test_accesses_that_the_harness_makes_meet(text: str, meets: bool) -> None:
    assert may_meet(assemble(text)) == meets


def test_chains_through_memory() -> None:
    assert carries_through_memory(assemble("add dword ptr [rdi + 8], 1; mov rsi, rdi"))
    assert not carries_through_memory(assemble("add dword ptr [rdi + 8], 1; add rdi, 64"))
    assert not carries_through_memory(assemble("mov [rdi + 8], rax; mov rbx, [rdi]"))


def test_special_instructions() -> None:
    assert is_special(assemble("lock add dword ptr [rdi], 1"))
    assert is_special(assemble("xchg [rdi], eax"))
    assert not is_special(assemble("xchg ecx, eax"))


def test_a_gauge_is_not_misled_by_accidents() -> None:
    assert _smallest_frequent([-3.0, 0.4, 0.7, *[1.0, 1.001, 1.002] * 50, *[1.5] * 200]) == 1.0


def test_stored_blocks_are_those_that_were_collected() -> None:
    bodies = {code: origin for origin, codes in stored_bodies().items() for code in codes}
    blocks = blocks_of("zen3")
    assert all(bodies[block.code] == block.origin and block.cycles > 0 for block in blocks)
    assert all(block.may_meet == may_meet(block.code) for block in blocks)
    assert len({block.code for block in blocks}) == len(blocks)
    measured = {block.code for block in blocks}
    assert all(set(row.blocks) <= measured for row in rows_of("zen3"))


def test_programs_are_those_that_there_are(tmp_path: Path) -> None:
    make_files(tmp_path)
    files = {path.name for path in tmp_path.iterdir()}
    for case in CASES:
        assert all(Path(word).name in files for word in case.words(2, "/in") if word.startswith("/in/"))
    assert {program.case.name for program in programs_of("zen3")} == {case.name for case in CASES}


def test_every_file_says_where_it_is_from() -> None:
    for path in stored.MEASUREMENTS.iterdir():
        data = json.loads(path.read_text())
        assert data["cpu"]["family"] and data["date"] and data["columns"]


def test_tables_need_no_tools(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    for options in ([], ["--looked-at", "--worst", "3"]):
        command = [sys.executable, "-m", "calibration", *options]
        done = subprocess.run(command, cwd=root, env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=True)
        assert len(done.stdout.splitlines()) > 3
    refused = subprocess.run([sys.executable, "-m", "calibration", "--worst", "3"], cwd=root, capture_output=True, text=True)
    assert refused.returncode == 2
    assert "not to be looked at" in refused.stderr


def test_the_model_is_beside_the_events_that_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    word = "a word to another CPU and back"
    answers = [Event("lock add", 7.5), Event(word, 900.0, "60"), Event(word, 950.0, "250")]
    monkeypatch.setattr(tables, "model_events", lambda core: iter(answers))
    lines = [" ".join(line.split()) for line in tables.event_table("zen3", Model(core_named("zen3")))]
    assert next(line for line in lines if line.startswith("lock add ")).endswith(" 7.5")
    at = next(n for n, line in enumerate(lines) if line.startswith(word))
    assert lines[at + 1 : at + 3] == ["turns of 60 900.0", "turns of 250 950.0"]


def test_a_line_of_disassembly() -> None:
    assert disassembly(assemble("nop; add eax, 1")) == "nop; add eax, 1"
