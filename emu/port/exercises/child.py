# SPDX-License-Identifier: GPL-2.0-only
"""Runs one check with the emu of a learner's folder, which PYTHONPATH names: `child.py MODULE:FUNCTION ARCH FOLDER RESULT`.

RESULT becomes `null`, or [expected, seen]. The folder has no exercises: they are those of the emu that this file belongs to.
"""

from __future__ import annotations

import importlib
import json
import sys
import textwrap
from pathlib import Path

_LONGEST = 300  # characters of what is seen


def main(check: str, arch: str, folder: str, result: str) -> None:
    import emu.port

    emu.port.__path__.append(str(Path(__file__).resolve().parents[1]))
    from emu.port.exercises.exam import Exam, Wrong

    module, _, function = check.partition(":")
    exam = Exam(arch, Path(folder))
    found: Wrong | None = None
    try:
        getattr(importlib.import_module(f"emu.port.exercises.checks.{module}"), function)(exam)
    except Wrong as wrong:
        found = wrong
    except Exception as error:  # of the learner's emu: whatever it raises shows that it does not work
        found = Wrong(exam.expected, "; ".join([type(error).__name__, *str(error).strip().splitlines()[:1]]))
    Path(result).write_text(json.dumps(found and [found.expected, textwrap.shorten(found.seen, _LONGEST, placeholder=" ...")]))


if __name__ == "__main__":
    main(*sys.argv[1:])
