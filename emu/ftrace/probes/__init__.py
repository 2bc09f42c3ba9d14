# SPDX-License-Identifier: GPL-2.0-only
"""Probes: what happens when a CPU comes to an instruction of the kernel or of a program, or when a function returns."""
