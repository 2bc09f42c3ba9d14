# SPDX-License-Identifier: GPL-2.0-only
"""Straight-line code: collected from the guest and from programs, and measured on this machine."""
