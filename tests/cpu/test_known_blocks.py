# SPDX-License-Identifier: GPL-2.0-only
"""Costs of blocks that are known: the same as those of a board that asks for each, and asked for only once."""

from __future__ import annotations

import pytest

from emu.cpu.native.known_blocks_record import CODE_SIZE, KnownBlocks
from tests.cpu.bare import CODE, KERNEL, Bare

ANYWHERE = CODE + 0x800
UNKNOWN = bytes.fromhex("0f01e0ffe1")  # smsw eax, which the timing models do not know; jmp rcx
TIMINGS = ("static", "pipeline", "caches")


def started(code: str, known: KnownBlocks | None, timing: str = "static") -> Bare:
    """A board whose CPU jumps to `code` at ANYWHERE, with a table of its own or none."""
    bare = Bare(timing=timing)
    bare.board.record.known = known
    bare.put(ANYWHERE, code)
    bare.start(f"mov rcx, {KERNEL + ANYWHERE:#x}; jmp rcx")
    return bare


def asked(bare: Bare) -> list[int]:
    """Runs the board to its end. Returns the addresses of the blocks that Python was asked for."""
    addresses, decode = [], bare.board._decode_block
    bare.board.record.decode = bare.board.python_handler(
        lambda cpu, place: (addresses.append(cpu.record.block - KERNEL), decode(cpu, place))
    )
    assert bare.run()
    return addresses


def counts(bare: Bare) -> tuple[int, int]:
    return bare.board.cpus[0].cycles, bare.board.cpus[0].instructions


LOOP = "mov rdx, 9; again: imul rax, rdx; dec rdx; jnz again; rep stosb; cli; hlt"


@pytest.mark.parametrize("timing", TIMINGS)
def test_another_board_does_not_ask_and_counts_the_same(timing: str) -> None:
    known = KnownBlocks.allocate()
    boards = [started(LOOP, table, timing) for table in (known, known, None)]
    first, second, without = map(asked, boards)
    assert first == without
    assert len(first) > 3
    assert second == []
    assert len({counts(board) for board in boards}) == 1


@pytest.mark.parametrize("other", [LOOP.replace("imul rax", "imul rbx"), "nop; " + LOOP, LOOP.replace("9", "8")])
def test_other_code_at_the_same_address_is_not_known(other: str) -> None:
    known = KnownBlocks.allocate()
    asked(started(LOOP, known))
    with_table, without = started(other, known), started(other, None)
    assert ANYWHERE in asked(with_table)
    asked(without)
    assert counts(with_table) == counts(without)


def test_a_block_that_goes_on_in_the_next_page_is_asked_for_again() -> None:
    known, place = KnownBlocks.allocate(), CODE + 0xFFA
    for _ in range(2):
        bare = started(f"mov rcx, {KERNEL + place:#x}; jmp rcx", known)
        bare.put(place, "mov rax, 0x123456789abcdef; cli; hlt")
        assert place in asked(bare)


def test_each_board_reports_a_block_that_cannot_be_decoded() -> None:
    known = KnownBlocks.allocate()
    for _ in range(2):
        named = []
        bare = started(f"mov rbx, {KERNEL + CODE + 0x900:#x}; mov rcx, {KERNEL + CODE + 0xA00:#x}; jmp rbx", known, "caches")
        assert bare.board.timing is not None
        bare.board.timing.undecoded = lambda address, code, named=named: named.append(code)
        bare.bytes(CODE + 0x900, UNKNOWN)
        bare.put(CODE + 0xA00, "cli; hlt")
        assert bare.run()
        assert named == [UNKNOWN]


def test_without_room_all_are_forgotten() -> None:
    known = KnownBlocks.allocate()
    asked(started(LOOP, known))
    known.used = CODE_SIZE
    assert asked(started(LOOP, known)) == []
    assert ANYWHERE in asked(started("nop; " + LOOP, known))
    assert 0 < known.used < 1000
    assert ANYWHERE in asked(started(LOOP, known))
