# SPDX-License-Identifier: GPL-2.0-only
"""What native timing models do, in plain Python, with none of their layout."""
