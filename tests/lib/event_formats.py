# SPDX-License-Identifier: GPL-2.0-only
"""Formats of made-up events, and of events of kernels other than the golden one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tests.lib.trace_dat import linux_formats

__all__ = ["OLDER_FTRACE", "format_file", "with_formats"]

_COMMON = ("unsigned short common_type:0:2", "unsigned char common_flags:2:1", "unsigned char common_preempt_count:3:1",
           "int common_pid:4:4")  # fmt: skip


def format_file(number: int, name: str, fields: Sequence[str], print_fmt: str) -> str:
    """events/SYSTEM/NAME/format, from fields such as `u32 buf[]:12:0`: declaration, offset, size."""

    def line(field: str) -> str:
        declared, offset, size = field.rsplit(":", 2)
        signed = int(bool(re.match(r"(char|short|int|long|s\d+|pid_t)\b", declared)))
        return f"\tfield:{declared};\toffset:{offset};\tsize:{size};\tsigned:{signed};"

    lines = [*map(line, _COMMON), "", *map(line, fields)]
    return "\n".join([f"name: {name}", f"ID: {number}", "format:", *lines, "", f"print fmt: {print_fmt}", ""])


def with_formats(system: str, *formats: str) -> Mapping[str, Sequence[str]]:
    """The golden kernel's formats of ftrace, plus these: formats of another system, or replacements for some of ftrace's."""
    ftrace = linux_formats()["ftrace"]
    if system != "ftrace":
        return {"ftrace": ftrace, system: formats}
    mine = {text.splitlines()[0]: text for text in formats}
    return {"ftrace": [mine.get(text.splitlines()[0], text) for text in ftrace]}


# The way in which kernels before 5.x declare a last field that extends to the end of its entry.
OLDER_FTRACE = (
    format_file(5, "print", ["unsigned long ip:8:8", "char buf:16:0"], '"%lx: %s", REC->ip, REC->buf'),
    format_file(6, "bprint", ["unsigned long ip:8:8", "const char * fmt:16:8", "u32 buf:24:0"], '"%lx: %s", REC->ip, REC->fmt'),
    format_file(18, "raw_data", ["unsigned int id:8:4", "char buf:12:0"], '"id:%04x %08x", REC->id, (int)REC->buf[0]'),
)
