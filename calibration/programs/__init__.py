# SPDX-License-Identifier: GPL-2.0-only
"""Whole programs, linked statically so that this machine and the guest run the same code."""
