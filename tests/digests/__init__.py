# SPDX-License-Identifier: GPL-2.0-only
"""Digests of the output of some thirty commands, to show that a change of the code changes no behaviour (see __main__)."""
