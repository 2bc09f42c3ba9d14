# SPDX-License-Identifier: GPL-2.0-only
"""How well timing models predict what code costs on real CPUs: native harnesses, stored measurements, and tables of errors."""
