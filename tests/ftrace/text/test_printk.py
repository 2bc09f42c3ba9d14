# SPDX-License-Identifier: GPL-2.0-only
"""The text of events that refer to texts in the guest's memory."""

from __future__ import annotations

import pytest

from emu.ftrace.buffers.entries import BPRINT, BPUTS, EventType
from emu.ftrace.text import render_events
from tests.ftrace.text.golden import Recording

STRINGS = {0x1000: "hello\n", 0x2000: "%s has %d\n", 0x3000: "not utf-8: \udcff\n"}


def _recording() -> Recording:
    recording = Recording()
    recording.strings.update(STRINGS)
    ip = recording.symbols.address_of("f <ffffffff81000010>")
    recording.write(0, 1, BPUTS, {"type": EventType.BPUTS, "pid": 57, "ip": ip, "str": 0x1000})
    values = {"type": EventType.BPRINT, "pid": 57, "ip": ip, "fmt": 0x2000}
    recording.write(0, 2, BPRINT, values, b"sh\0\0" + (5).to_bytes(4, "little"))
    recording.write(0, 3, BPUTS, {"type": EventType.BPUTS, "pid": 57, "ip": ip, "str": 0x3000})
    recording.write(0, 4, BPUTS, {"type": EventType.BPUTS, "pid": 57, "ip": ip, "str": 0xDEAD})
    return recording


@pytest.mark.parametrize(
    ("options", "texts"),
    [
        ("nocontext-info", "f: hello\n|f: sh has 5\n|f: not utf-8: \udcff\n|f: (efault)"),
        ("printk-msg-only", "hello\n|sh has 5\n|not utf-8: \udcff\n|(efault)"),
        (
            "raw",
            "57 0 1 : ffffffff81000010 : hello\n|57 0 2 : ffffffff81000010 : sh has 5\n"
            "|57 0 3 : ffffffff81000010 : not utf-8: \udcff\n|57 0 4 : ffffffff81000010 : (efault)",
        ),
    ],
)
def test_text(options: str, texts: str) -> None:
    view = _recording().view("nop", [options])
    assert "".join(render_events(view)) == texts.replace("|", "")


def test_in_function_graph_it_is_a_comment() -> None:
    view = _recording().view("function_graph", [])
    margin = " 0)               |  "
    assert "".join(render_events(view)).splitlines() == [
        f"{margin}/* {text} */" for text in ("hello", "sh has 5", "not utf-8: \udcff", "(efault)")
    ]
