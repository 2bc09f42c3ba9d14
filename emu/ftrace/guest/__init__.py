# SPDX-License-Identifier: GPL-2.0-only
"""What the guest's kernel says and asks of tracing: its command line, its requests, its names and numbers."""
