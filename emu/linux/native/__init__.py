# SPDX-License-Identifier: GPL-2.0-only
"""Compiled code that reads a Linux guest's own structures."""
