# SPDX-License-Identifier: GPL-2.0-only
"""AArch64's rules of instruction fetch, on herd7's litmus tests: DC CVAU, IC IVAU, DSB and ISB.

test = parse(text)
print(format_result(test, explore(test)))

There is no board: a small machine executes the instructions that such tests have. Data accesses are executed in program order,
so a test is decided only if its accesses to shared memory are ordered anyway, by dependencies or barriers.
"""

from emu.race.ifetch.explorer import ASSUMPTIONS, Result, explore, format_result
from emu.race.ifetch.herd_text import IfetchTest, parse

__all__ = ["ASSUMPTIONS", "IfetchTest", "Result", "explore", "format_result", "parse"]
