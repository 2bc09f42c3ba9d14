# SPDX-License-Identifier: GPL-2.0-only
"""Porting emu to an architecture: what a port provides, its skeleton, the ladder by which it grows, and exercises."""
