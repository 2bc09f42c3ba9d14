# SPDX-License-Identifier: GPL-2.0-only
"""Files of measurements: their place, their two halves, and the machine they were made on."""

from __future__ import annotations

import hashlib
import json
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

__all__ = ["MEASUREMENTS", "columns_text", "cpu", "held_out", "load", "machine_name", "save", "save_columns"]

MEASUREMENTS = Path(__file__).parent / "measurements"

# Names of microarchitectures by vendor and family; models are ranges.
_NAMES = [
    ("AuthenticAMD", 25, (0x00, 0x0F), "zen3"), ("AuthenticAMD", 25, (0x10, 0x1F), "zen4"),
    ("AuthenticAMD", 25, (0x20, 0x5F), "zen3"), ("AuthenticAMD", 25, (0x60, 0xAF), "zen4"),
    ("AuthenticAMD", 26, (0x00, 0xFF), "zen5"), ("AuthenticAMD", 23, (0x00, 0x2F), "zen"),
    ("AuthenticAMD", 23, (0x30, 0xFF), "zen2"), ("GenuineIntel", 6, (0x55, 0x55), "skylake-server"),
    ("GenuineIntel", 6, (0x6A, 0x6A), "icelake-server"), ("GenuineIntel", 6, (0x8F, 0x8F), "sapphire-rapids"),
]  # fmt: skip


def held_out(data: bytes) -> bool:
    """Whether a block, row or program, identified by its bytes, is in the half that nobody looks at while tuning a model."""
    return bool(hashlib.sha256(data).digest()[0] & 1)


def cpu() -> dict[str, Any]:
    """This machine's CPU."""
    text = Path("/proc/cpuinfo").read_text()

    def field(name: str) -> str:
        found = re.search(rf"^{name}\s*:\s*(.*)$", text, re.MULTILINE)
        return found[1] if found else ""

    return {
        "vendor": field("vendor_id"), "name": field("model name"), "family": int(field("cpu family")),
        "model": int(field("model")), "stepping": int(field("stepping")), "cpus": text.count("processor\t"),
        "virtual": "hypervisor" in field("flags").split(),
    }  # fmt: skip


def machine_name() -> str:
    """The name of this machine in file names of measurements: its microarchitecture, if it is known."""
    found = cpu()
    for vendor, family, (first, last), name in _NAMES:
        if (vendor, family) == (found["vendor"], found["family"]) and first <= found["model"] <= last:
            return name
    return f"family{found['family']}-model{found['model']}"


def load(machine: str, kind: str) -> dict[str, Any]:
    """The measurements that `save` has stored.

    Raises:
        FileNotFoundError: there are no such measurements.
    """
    loaded: dict[str, Any] = json.loads((MEASUREMENTS / f"{machine}-{kind}.json").read_text())
    return loaded


def save(machine: str, kind: str, header: Mapping[str, Any], entries: Iterable[Any]) -> Path:
    """Writes measurements, one entry per line."""
    lines = ",\n  ".join(json.dumps(entry) for entry in entries)
    return _write(machine, kind, header, f'"entries": [\n  {lines}\n ]')


def save_columns(machine: str, kind: str, header: Mapping[str, Any], columns: Mapping[str, Sequence[Any]]) -> Path:
    """Writes measurements of things whose names and order stand elsewhere: as much in a line as it can hold."""
    return _write(machine, kind, header, f'"columns": {{\n  {columns_text(columns)}\n }}')


def columns_text(columns: Mapping[str, Sequence[Any]]) -> str:
    """Named lists in JSON, in lines of 120 columns."""
    texts = []
    for name, column in columns.items():
        lines = textwrap.fill(json.dumps(column), 120, initial_indent="  ", subsequent_indent="  ", break_long_words=False)
        texts.append(f"{json.dumps(name)}: {lines.strip()}")
    return ",\n  ".join(texts)


def _write(machine: str, kind: str, header: Mapping[str, Any], rest: str) -> Path:
    head = json.dumps({"cpu": cpu(), "date": date.today().isoformat(), **header}, indent=1)[:-2]
    path = MEASUREMENTS / f"{machine}-{kind}.json"
    path.write_text(f"{head},\n {rest}\n}}\n")
    return path
