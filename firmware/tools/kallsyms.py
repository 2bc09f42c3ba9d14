# SPDX-License-Identifier: GPL-2.0-only
"""Turns a kernel's symbols, as nm prints them, into the table that the kernel keeps of them.

The table is assembly of numbers and strings only, so linking it in changes no other section's contents; addresses behind it
move, and a second round gets them right, because the table's size depends on names alone.
"""

import argparse
import subprocess
import sys

SKIPPED_TYPES = frozenset("aAUNvw")


def rank(symbol: tuple[int, str, str]) -> tuple[int, bool, bool, int, str]:
    """Orders symbols by address; the first of an address is the one that it is shown as, chosen as Linux does.

    Strong symbols come before weak ones, then variables and functions before labels of the linker script, then names with fewer
    underscores at their beginning.
    """
    address, kind, name = symbol
    begin, end = ("__start_", "__stop_", "__end_", "__begin_"), ("_start", "_end")
    is_label = name.startswith(begin) or (name.startswith("__") and name.endswith(end))
    return address, kind in "VW", is_label, len(name) - len(name.lstrip("_")), name


def symbols(nm: str, kernel: str) -> list[tuple[int, str, str]]:
    """Address, type and name of each symbol, functions and variables, in order of address."""
    lines = subprocess.run([nm, kernel], check=True, capture_output=True, text=True).stdout.splitlines()
    found = []
    for line in lines:
        fields = line.split()
        if len(fields) != 3:
            continue
        address, kind, name = fields
        if kind in SKIPPED_TYPES or name.startswith((".", "kallsyms_", "__ksymtab_", "__kstrtab", "$")):
            continue
        found.append((int(address, 16), kind, name))
    return sorted(found, key=rank)


def assembly(table: list[tuple[int, str, str]]) -> str:
    """The table's source."""
    lines = ['\t.section .kallsyms, "a"', "\t.balign 8"]
    lines += ["\t.globl kallsyms_num", "kallsyms_num:", f"\t.8byte {len(table)}"]
    lines += ["\t.globl kallsyms_addresses", "kallsyms_addresses:"]
    lines += [f"\t.8byte {address:#x}" for address, _, _ in table]
    lines += ["\t.globl kallsyms_names", "kallsyms_names:"]
    lines += [f'\t.asciz "{kind}{name}"' for _, kind, name in table]
    lines += ["\t.balign 8"]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Reads the command line; writes the source to standard output."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nm", default="nm", help="the architecture's nm")
    parser.add_argument("kernel", nargs="?", help="the kernel as linked so far; none: an empty table")
    args = parser.parse_args()
    sys.stdout.write(assembly(symbols(args.nm, args.kernel) if args.kernel else []))
    return 0


if __name__ == "__main__":
    sys.exit(main())
