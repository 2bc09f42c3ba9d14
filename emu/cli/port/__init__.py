# SPDX-License-Identifier: GPL-2.0-only
"""emu port: porting emu to an architecture."""

from __future__ import annotations

from emu.cli.port.command import port

__all__ = ["port"]
