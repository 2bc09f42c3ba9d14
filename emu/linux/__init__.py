# SPDX-License-Identifier: GPL-2.0-only
"""An unmodified Linux on a PC: its image, its boot, its commands (docs/linux.md)."""
