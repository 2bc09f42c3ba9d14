# SPDX-License-Identifier: GPL-2.0-only
"""The branch tracer: an event for each branch that the guest annotates with likely() or unlikely()."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from emu.ftrace.tracers.tracer import Tracer

__all__ = ["BRANCH", "BRANCH_KEYS"]

BRANCH_KEYS = ("branch_key",)


class _Branch(Tracer):
    def keys(self, options: Mapping[str, bool]) -> Collection[str]:
        return BRANCH_KEYS


BRANCH = _Branch("branch")
