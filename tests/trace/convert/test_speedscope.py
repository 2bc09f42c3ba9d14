# SPDX-License-Identifier: GPL-2.0-only
"""speedscope's profiles: calls open and close in order, and match those of the trace."""

from __future__ import annotations

import json
import struct
from collections import Counter
from pathlib import Path

import pytest

from emu.trace import Trace
from emu.trace.convert import CannotConvert, ConvertOptions
from tests.trace.convert.conftest import A, B, converted, trace_of


def calls_of(trace: Trace) -> Counter[tuple[str, str, int, int]]:
    """Profile, function, begin and end of each call, as a reader of the file finds them."""
    whole = json.loads(converted(trace, "speedscope.json"))
    assert whole["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    found: Counter[tuple[str, str, int, int]] = Counter()
    for profile in whole["profiles"]:
        assert (profile["type"], profile["unit"]) == ("evented", "nanoseconds")
        stack: list[tuple[int, int]] = []
        before = profile["startValue"]
        for event in profile["events"]:
            assert before <= event["at"] <= profile["endValue"]
            before = event["at"]
            if event["type"] == "O":
                stack.append((event["frame"], before))
            else:
                frame, begin = stack.pop()
                assert frame == event["frame"]
                found[profile["name"], whole["shared"]["frames"][frame]["name"], begin, before] += 1
        assert not stack
    return found


def test_calls_are_those_of_the_trace(trace: Trace) -> None:
    calls = trace.calls
    columns = (calls[name].tolist() for name in ("function", "pid", "task", "cpu", "entry", "exit", "finished"))
    mine = Counter(
        (f"{task}-{pid}" if pid else f"swapper/{cpu}", function, entry, exit_)
        for function, pid, task, cpu, entry, exit_, finished in zip(*columns, strict=True)
        if finished
    )
    found = calls_of(trace)
    assert mine <= found
    assert found.total() == calls.count


def test_of_a_real_linux(linux_trace: Trace) -> None:
    if linux_trace.calls.count:
        assert calls_of(linux_trace).total() == linux_trace.calls.count
    else:
        with pytest.raises(CannotConvert, match=r"^no calls were recorded"):
            calls_of(linux_trace)


def test_a_call_of_which_only_the_exit_was_recorded(tmp_path: Path) -> None:
    events = [
        (20, struct.pack("<HBBiQi", 11, 0, 0, 5, B, 1)), (35, struct.pack("<HBBiQiIQQ", 10, 0, 0, 5, B, 1, 0, 20, 34)),
        (50, struct.pack("<HBBiQiIQQ", 10, 0, 0, 5, A, 0, 0, 10, 49)),
    ]  # fmt: skip
    assert calls_of(trace_of(tmp_path, events)) == {("name-5", "a", 10, 49): 1, ("name-5", "b", 20, 34): 1}


def test_its_title(trace: Trace) -> None:
    assert json.loads(converted(trace, "speedscope.json", ConvertOptions(title="mine")))["name"] == "mine"


def test_a_call_ends_before_another_begins_beside_it(tmp_path: Path) -> None:
    events = [
        (10, struct.pack("<HBBiQi", 11, 0, 0, 5, A, 0)), (26, struct.pack("<HBBiQiIQQ", 10, 0, 0, 5, A, 0, 0, 10, 25)),
        (35, struct.pack("<HBBiQiIQQ", 10, 0, 0, 5, B, 0, 0, 20, 34)),
    ]  # fmt: skip
    assert calls_of(trace_of(tmp_path, events)) == {("name-5", "a", 10, 20): 1, ("name-5", "b", 20, 34): 1}
