# SPDX-License-Identifier: GPL-2.0-only
"""The display of traces and their tables in notebooks."""
