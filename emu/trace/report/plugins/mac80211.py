# SPDX-License-Identifier: GPL-2.0-only
"""trace-cmd's plug-in mac80211: the settings of a wireless network, on lines below the event."""

from __future__ import annotations

from emu.trace.event_table import EventTable
from emu.trace.lines import Numbers, Piece, RangesPiece, constant
from emu.trace.report.plugins.fields import shown, signed

__all__ = ["SETTINGS", "bss_info_text"]

_INDENT = "\n" + " " * 65
_HEXADECIMAL = ("assoc_cap", "basic_rates")
_LINES = (
    ("assoc", "aid", "cts", "shortpre", "shortslot", "dtimper"),
    ("bcnint", "assoc_cap", "basic_rates", "enable_beacon"),
    ("ht_operation_mode",),
)
SETTINGS = tuple(name for line in _LINES for name in line)


def bss_info_text(table: EventTable) -> list[Piece]:
    """`phy0 vif:wlan0(2)`, then `assoc:1 aid:7 ...`"""
    fields = {field.name: field for field in table.call.fields}
    pieces: list[Piece] = [
        RangesPiece(table.text_ranges(fields["wiphy_name"])), constant(" vif:", table.count),
        RangesPiece(table.text_ranges(fields["vif_name"])), *shown(table, "(", ("vif_type", signed), ")"),
    ]  # fmt: skip
    for number, line in enumerate(_LINES):
        for place, name in enumerate(line):
            before = " " if place else _INDENT
            show = (lambda values: Numbers(values, 16, prefix=True)) if name in _HEXADECIMAL else signed
            pieces += shown(table, f"{before}{name}:", (name, show))
        if not number:
            pieces.append(constant(" ", table.count))
    return pieces
