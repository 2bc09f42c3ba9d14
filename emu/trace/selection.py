# SPDX-License-Identifier: GPL-2.0-only
"""Some tasks and some CPUs."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["selected"]


def selected(
    pid: NDArray[Any], cpu: NDArray[Any], pids: Collection[int], cpus: Collection[int] | None
) -> NDArray[np.bool_]:
    """Which rows are of these tasks, on these CPUs. No `pids`: of all tasks; None for `cpus`: on all CPUs."""
    chosen = np.ones(len(pid), bool)
    if pids:
        chosen &= np.isin(pid, list(pids))
    if cpus is not None:
        chosen &= np.isin(cpu, list(cpus))
    return chosen
