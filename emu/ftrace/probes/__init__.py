# SPDX-License-Identifier: GPL-2.0-only
"""Probes: actions when a CPU reaches an instruction of the kernel or of a program, or when a function returns."""
