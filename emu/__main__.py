# SPDX-License-Identifier: GPL-2.0-only
"""python -m emu"""

from emu.cli import main

main()
