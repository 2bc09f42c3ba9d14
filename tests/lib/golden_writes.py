# SPDX-License-Identifier: GPL-2.0-only
"""What Linux 6.1 answered to writes into the files of its tracefs."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from typing import NamedTuple

from tests.lib.golden import read_golden

__all__ = ["GoldenWrite", "golden_writes"]



class GoldenWrite(NamedTuple):
    """`echo VALUE > FILE`"""

    path: str
    value: str
    code: int  # the errno of its write; 0: it was taken
    shown: list[str]  # the first lines of the file afterwards, if it was read


def golden_writes() -> Iterator[GoldenWrite]:
    """Those that were tried on Linux 6.1, in their order: what was taken stays for those that follow."""
    text = read_golden("error-writes.txt")
    written, result = r"^# echo '(.*)' > (\S+)\n(?:sh.*\n)+", r"write\(1, .*\) += (?:\d+|-1 (\w+)) ?.*\n"
    for value, path, name, shown in re.findall(written + result + r"((?:    now: .*\n)*)", text, re.MULTILINE):
        yield GoldenWrite(path, value, getattr(errno, name) if name else 0, re.findall("now: (.*)", shown))
