# SPDX-License-Identifier: GPL-2.0-only
"""emu port: bring emu to another architecture."""
