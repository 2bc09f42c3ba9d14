# SPDX-License-Identifier: GPL-2.0-only
"""Campaigns: units, journals and tables, and what is done with tables."""
