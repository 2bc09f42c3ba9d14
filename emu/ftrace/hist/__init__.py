# SPDX-License-Identifier: GPL-2.0-only
"""Hist triggers: events counted in tables by their fields, with variables and actions."""
