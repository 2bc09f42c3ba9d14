# SPDX-License-Identifier: GPL-2.0-only
"""The native timing models in plain Python, without their memory layout."""
