# SPDX-License-Identifier: GPL-2.0-only
"""Tracers, and what else measures: latencies, stacks, profiles, branches, counters of the hardware."""
