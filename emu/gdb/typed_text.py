# SPDX-License-Identifier: GPL-2.0-only
"""Input as `monitor type` has it."""

from __future__ import annotations

import re

__all__ = ["typed"]

_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|.|$)", re.DOTALL)
_MEANT = {"n": b"\n", "t": b"\t", "r": b"\r", "e": b"\x1b", "\\": b"\\"}


def typed(text: str) -> bytes:
    r"""Text with escapes as bytes: \n, \t, \r, \e, \\ and \xHH. Raises ValueError: there is another one."""
    data, at = b"", 0
    for found in _ESCAPE.finditer(text):
        data += text[at : found.start()].encode()
        at = found.end()
        if len(found[1]) == 3:
            data += bytes([int(found[1][1:], 16)])
        elif found[1] in _MEANT:
            data += _MEANT[found[1]]
        else:
            raise ValueError(rf"'{found[0]}' is no escape: \n, \t, \r, \e, \\, \xHH")
    return data + text[at:].encode()
