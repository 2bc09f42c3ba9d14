# SPDX-License-Identifier: GPL-2.0-only
"""Schedules: one event after another, as objects, text files and tables; and what a search has found."""
