# SPDX-License-Identifier: GPL-2.0-only
"""Campaigns: thousands of runs, done by many processes; what they have measured is a table (docs/campaigns.md)."""

from emu.campaign.background import Background, start
from emu.campaign.campaign import CannotRun, Results, run
from emu.campaign.connection import CannotConnect, Tls
from emu.campaign.inputs import digests_of
from emu.campaign.table import BadTable, Table, read_table
from emu.campaign.unit import Measures, Scalar, Unit

__all__ = [
    "Background", "BadTable", "CannotConnect", "CannotRun", "Measures", "Results", "Scalar", "Table", "Tls", "Unit", "digests_of",
    "read_table", "run", "start",
]  # fmt: skip
