# SPDX-License-Identifier: GPL-2.0-only
"""Digests of what some thirty commands print, to show that a change of the code changes no behaviour (see __main__)."""
