# SPDX-License-Identifier: GPL-2.0-only
"""What the commands that run campaigns have in common."""
