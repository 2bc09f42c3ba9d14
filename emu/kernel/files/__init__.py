# SPDX-License-Identifier: GPL-2.0-only
"""Files of the host for the guest: nodes and handles, the file server, and shared host folders."""
