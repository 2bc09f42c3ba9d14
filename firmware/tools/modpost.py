# SPDX-License-Identifier: GPL-2.0-only
"""Write what the loader must know of each module, and check that it can be loaded.

    modpost.py --nm NM --objcopy OBJCOPY --kernel VMLINUX [--built MODULE.ko...] --out FOLDER MODULE.o...

For each NAME.o, FOLDER/NAME.mod.c: its struct module, its vermagic, the modules
whose symbols it uses. For modprobe, FOLDER/modules.dep has the same, and
FOLDER/modules.alias the other names that modules give themselves. Ends with a
message if a symbol that a module uses is exported by nobody: neither by the
kernel, nor by one of these modules, nor by one that was built before.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

INSTALLED = "/lib/modules"
TEMPLATE = """\
#include <linux/module.h>
#include <linux/vermagic.h>

MODULE_INFO(name, "{name}");
MODULE_INFO(intree, "Y");
MODULE_INFO(vermagic, VERMAGIC_STRING);
MODULE_INFO(depends, "{depends}");

struct module __this_module
__section(".gnu.linkonce.this_module") = {{
	.name = "{name}",
{members}}};
"""


def symbols(nm: str, path: Path) -> tuple[set[str], set[str]]:
    """(defined, undefined) names of an object."""
    defined, undefined = set(), set()
    for line in subprocess.run([nm, path], check=True, capture_output=True, text=True).stdout.splitlines():
        *_, kind, name = line.split() if len(line.split()) > 1 else ("", "")  # SPARC's registers have no names
        if kind in ("U", "w"):
            undefined.add(name)
        else:
            defined.add(name)
    return defined, undefined


def aliases(objcopy: str, path: Path) -> list[str]:
    """What a module's MODULE_ALIASes say, in their order."""
    with tempfile.NamedTemporaryFile() as section:
        subprocess.run([objcopy, f"--dump-section=.modinfo={section.name}", path, "/dev/null"], check=True)
        texts = Path(section.name).read_bytes().split(b"\0")
    return [text.removeprefix(b"alias=").decode() for text in texts if text.startswith(b"alias=")]


def module_name(file: str) -> str:
    """What the module of a file is called: a name has no dashes."""
    return file.replace("-", "_")


def exported(defined: Iterable[str]) -> set[str]:
    return {name.removeprefix("__ksymtab_") for name in defined if name.startswith("__ksymtab_")}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--nm", required=True)
    parser.add_argument("--objcopy", required=True)
    parser.add_argument("--kernel", type=Path, required=True)
    parser.add_argument("--built", type=Path, nargs="*", default=[])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("modules", type=Path, nargs="+")
    options = parser.parse_args()

    owner = dict.fromkeys(exported(symbols(options.nm, options.kernel)[0]), "")
    for path in options.built:
        owner |= dict.fromkeys(exported(symbols(options.nm, path)[0]), path.stem)
    tables = {path.stem: symbols(options.nm, path) for path in sorted(options.modules)}
    for name, (defined, _) in tables.items():
        owner |= dict.fromkeys(exported(defined), name)

    depends: dict[str, list[str]] = {}
    for name, (defined, undefined) in tables.items():
        needed = undefined - {"__this_module"}
        if missing := sorted(needed - owner.keys()):
            sys.exit(f'modpost: "{missing[0]}" [{name}.ko] undefined!')
        depends[name] = sorted({owner[symbol] for symbol in needed} - {""})
        functions = (("init", "init_module"), ("exit", "cleanup_module"))
        members = "".join(f"\t.{member} = {function},\n" for member, function in functions if function in defined)
        modules = (module_name(other) for other in depends[name])
        text = TEMPLATE.format(name=module_name(name), depends=",".join(modules), members=members)
        declared = "".join(
            f"{kind} {function}(void);\n"
            for kind, function in (("int", "init_module"), ("void", "cleanup_module"))
            if function in defined
        )
        file = options.out / f"{name}.mod.c"
        text = text.replace("\nMODULE_INFO(name", f"\n{declared}\nMODULE_INFO(name", 1)
        if not file.exists() or file.read_text() != text:
            file.write_text(text)

    def all_of(name: str) -> list[str]:
        """What must be there before a module, the last one first."""
        order: list[str] = []
        for other in depends.get(name, []):
            order += [n for n in (other, *all_of(other)) if n not in order]
        return order

    lines = [f"{INSTALLED}/{n}.ko:" + "".join(f" {INSTALLED}/{d}.ko" for d in all_of(n)) for n in sorted(depends)]
    named = [f"alias {alias} {path.stem}\n" for path in sorted(options.modules) for alias in aliases(options.objcopy, path)]
    (options.out / "modules.alias").write_text("# Aliases extracted from modules themselves.\n" + "".join(named))
    (options.out / "modules.dep").write_text("".join(f"{line}\n" for line in lines))


if __name__ == "__main__":
    main()
