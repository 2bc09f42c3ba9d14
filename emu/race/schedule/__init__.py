# SPDX-License-Identifier: GPL-2.0-only
"""Schedules: sequences of events, as objects, text files and tables; and the results of searches."""
