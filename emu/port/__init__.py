# SPDX-License-Identifier: GPL-2.0-only
"""Porting emu to an architecture: what a port provides, how far it is, and exercises."""
