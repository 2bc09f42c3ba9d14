# SPDX-License-Identifier: GPL-2.0-only
"""Encodes columns of unsigned integers as text for columns.js.

The lowest bytes of all of a column's numbers come first, then the next ones, up to the highest byte that is not always 0.
Similar bytes are thus adjacent, so zlib compresses them well.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

__all__ = ["deflated", "packed"]


def packed(columns: Mapping[str, NDArray[np.integer]]) -> tuple[dict[str, list[int]], str]:
    """For each column, the number of values and bytes per value; and all columns, as a zlib stream in base64."""
    layout, data = {}, []
    for name, column in columns.items():
        width = max(1, (int(column.max(initial=0)).bit_length() + 7) // 8)
        layout[name] = [len(column), width]
        planes = np.ascontiguousarray(column.astype("<u8")).view(np.uint8).reshape(-1, 8).T[:width]
        data.append(planes.tobytes())
    return layout, deflated(b"".join(data))


def deflated(data: bytes) -> str:
    """A zlib stream in base64."""
    return base64.b64encode(zlib.compress(data)).decode()
