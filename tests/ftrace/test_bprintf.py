# SPDX-License-Identifier: GPL-2.0-only
"""Arguments of printf as vbin_printf() packs them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from emu.ftrace.bprintf import arguments, formatted
from emu.ftrace.words import Words

PIECES = st.lists(st.sampled_from([b"%d", b"%ld", b"%hd", b"%hhd", b"%c", b"%s", b"%p", b"%*d", b"%.*s", b"%%", b"text", b"%"]))


def test_numbers_begin_at_multiples_of_their_size_or_of_four() -> None:
    data = b"a\0" + b"\0\0" + (5).to_bytes(4, "big") + b"\x07" + b"\0" * 3 + (9).to_bytes(8, "big") + b"\0\3"
    assert arguments(b"%s%d%c%ld%hd", data, Words(">")) == [b"a", 5, 7, 9, 3]


def test_data_that_ends_too_early_is_zeros() -> None:
    assert arguments(b"%d %s %ld", b"\1", Words()) == [1, b"", 0]


@given(PIECES, st.binary(max_size=60))
def test_no_data_is_too_bad(pieces: list[bytes], data: bytes) -> None:
    template = b"".join(pieces)
    values = arguments(template, data, Words())
    formatted(template, [value if isinstance(value, bytes) else value & 0xFF for value in values], lambda kind, value: None)


def test_a_pointer_may_have_a_text_of_its_own() -> None:
    named = formatted(b"<%10pS|%-6ps|%p>", [1, 2, 3], lambda kind, value: kind + b"%d" % value if kind else None)
    assert named == b"<        S1|s2    |0000000000000003>"
