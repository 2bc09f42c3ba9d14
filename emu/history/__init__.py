# SPDX-License-Identifier: GPL-2.0-only
"""Stops and travel in time: a machine stops at instructions and accesses to memory, and goes back to earlier instants."""
