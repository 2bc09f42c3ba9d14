# SPDX-License-Identifier: GPL-2.0-only
"""The events of a real Linux 6.1 on x86-64, from the formats that it has of them.

    ./venv python -m tests.lib.linux_events         writes emu's list of them anew
"""

from __future__ import annotations

from pathlib import Path

from emu.ftrace import linux_events
from tests.lib.trace_dat import linux_formats

__all__ = ["LIST", "available_events", "list_text"]

LIST = Path(linux_events.__file__).with_suffix(".txt")


def _events() -> dict[str, list[str]]:
    """By system: those that can be enabled."""
    systems = {system: [text.split()[1] for text in texts] for system, texts in linux_formats().items() if system != "ftrace"}
    return {system: sorted(names) for system, names in sorted(systems.items())}


def list_text() -> str:
    """What emu's list says."""
    return "".join(f"{system}: {' '.join(names)}\n" for system, names in _events().items())


def available_events() -> str:
    """What that Linux shows as available_events, in another order."""
    return "".join(f"{system}:{name}\n" for system, names in _events().items() for name in names)


if __name__ == "__main__":
    LIST.write_text(list_text())
