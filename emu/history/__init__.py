# SPDX-License-Identifier: GPL-2.0-only
"""Stops and travel in time: a machine stops before an instruction or after an access to memory, and goes back to earlier instants."""
