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


def test_a_long_has_4_bytes_or_8_and_is_aligned_to_4() -> None:
    template = b"%d %s %lu %p %zu %lld %d"
    numbers = [7, b"sh", 8, 9, 10, 11, 12]
    for words in (Words("<", 4), Words(">", 4), Words("<", 8), Words(">", 8)):
        sizes = (words.long_size,) * 3 + (8, 4)
        data = (7).to_bytes(4, words.order) + b"sh\0\0"
        data += b"".join(number.to_bytes(size, words.order) for number, size in zip(numbers[2:], sizes, strict=True))
        assert arguments(template, data, words) == numbers


def test_a_pointer_that_the_kernel_has_followed_is_a_text() -> None:
    words = Words("<", 8)
    assert arguments(b"%pI4 %d", b"10.0.0.1\0\0\0\0\5\0\0\0", words) == [b"10.0.0.1", 5]
    address = (0xFFFFFFC0000F6162).to_bytes(8, "little")
    assert arguments(b"%pI4 %d", address + b"\5\0\0\0", words) == [0xFFFFFFC0000F6162, 5]
    assert arguments(b"%ps", b"AB\0\0\0\0\0\0", words) == [0x4241]


def test_data_that_ends_too_early_is_zeros() -> None:
    assert arguments(b"%d %s %ld", b"\1", Words()) == [1, b"", 0]


@given(PIECES, st.binary(max_size=60))
def test_no_data_is_too_bad(pieces: list[bytes], data: bytes) -> None:
    template = b"".join(pieces)
    values = arguments(template, data, Words())
    formatted(template, [value if isinstance(value, bytes) else value & 0xFF for value in values], lambda kind, value: None)


def test_no_width_makes_a_text_that_fills_memory() -> None:
    for template, values in ((b"%*d", [1 << 30, 5]), (b"%.*d", [1 << 30, 5]), (b"%999999999d", [5])):
        assert len(formatted(template, values, lambda kind, value: None)) == 4096


def test_a_pointer_may_have_a_text_of_its_own() -> None:
    named = formatted(b"<%10pS|%-6ps|%p>", [1, 2, 3], lambda kind, value: kind + b"%d" % value if kind else None)
    assert named == b"<        S1|s2    |0000000000000003>"
