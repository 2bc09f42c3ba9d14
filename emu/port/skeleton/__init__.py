# SPDX-License-Identifier: GPL-2.0-only
"""The files with which a port begins: `emu port new`."""
