# SPDX-License-Identifier: GPL-2.0-only
"""The duration column."""

from __future__ import annotations

import pytest

from emu.ftrace.text.duration import NO_DURATION, duration_text


@pytest.mark.parametrize(
    ("nanoseconds", "text"),
    [
        (0, "  0.000 us    |  "),
        (999, "  0.999 us    |  "),
        (10_000, "  10.000 us   |  "),
        (10_001, "+ 10.001 us   |  "),
        (100_001, "! 100.001 us  |  "),
        (1_159_365, "# 1159.365 us |  "),
        (13_475_449, "* 13475.44 us |  "),
        (123_456_789, "@ 123456.7 us |  "),
        (1_234_567_890, "$ 1234567 us  |  "),
        (12_345_678_901, "$ 12345678 us |  "),
        (123_456_789_012, "$ 123456789 us |  "),
    ],
)
def test_seven_digits_and_a_mark(nanoseconds: int, text: str) -> None:
    assert duration_text(nanoseconds, overhead=True) == text
    assert duration_text(nanoseconds, overhead=False) == " " + text[1:]


def test_no_duration_is_as_wide() -> None:
    assert len(NO_DURATION) == len(duration_text(1, overhead=True))
