# SPDX-License-Identifier: GPL-2.0-only
"""`emu` as a process of its own whose Linux machines are kept in a folder of the tests'."""

from __future__ import annotations

import sys
from pathlib import Path

__all__ = ["emu_with_machines"]

_PROGRAM = """\
import sys
from pathlib import Path
from emu.linux import store
store.cache_directory = lambda: Path(sys.argv[1])
from emu.cli import main
main(sys.argv[2:])
"""


def emu_with_machines(folder: Path, *arguments: str) -> list[str]:
    """The words of such a command."""
    return [sys.executable, "-c", _PROGRAM, str(folder), *arguments]
