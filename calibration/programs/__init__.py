# SPDX-License-Identifier: GPL-2.0-only
"""Whole programs, which are static, so that this machine and the guest run the same code."""
