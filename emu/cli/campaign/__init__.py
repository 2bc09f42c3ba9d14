# SPDX-License-Identifier: GPL-2.0-only
"""What commands about campaigns have in common."""

__all__: list[str] = []
