# SPDX-License-Identifier: GPL-2.0-only
"""Writes docs/certificates.md: what emu changes while CPUs run, and how many states were searched for each claim.

    ./venv python -m tests.documents.certificates > docs/certificates.md        (`make certificates`)
"""

from __future__ import annotations

import dataclasses
import itertools
import sys
from collections.abc import Iterator, Sequence

from emu.race import api, certification
from emu.race.arch import load
from emu.race.scenario.change import Change
from emu.race.scenario.protocol_text import ShippedProtocol, WrittenProtocol, WrittenWrite
from emu.race.scenario.scenario import Scenario
from emu.race.schedule.verdict import Outcome, Verdict

__all__ = ["SECTIONS", "Section", "document"]

HEAD = """\
# Certificates

Everything that emu changes in code while CPUs execute it, and the searches that show that it is safe: call sites,
branches of static keys, breakpoints of probes, and live patches. `make certificates` writes this document. A test
([`tests/documents/test_certificates.py`](../tests/documents/test_certificates.py)) searches all of it again, and
compares.

A cell has the number of states of a search under one fetch model, added up over the places that sites can have in
a line of 64 bytes and, for `undone`, over the writes that can fail. Each certificate holds for any number of
CPUs, each of which comes to the sites any number of times; [race-lab.md](race-lab.md#any-number-of-cpus) says
why. It also says that each CPU and the patcher [get on](race-lab.md#does-everyone-get-on). What else is assumed is
below each table. A change by one store of one word needs Ziccif on RISC-V: there is no certificate for `parcel`.
"""

_NO_PARCELS = ("coherent", "stale", "ziccif", "translation")
_KEYS = {  # no branch and a branch behind the next instructions: what the guest's static keys have
    "x86_64": ("0f 1f 44 00 00", "e9 11 22 33 44"),
    "sparc64": ("01 00 00 00", "30 68 00 08"),
    "riscv64": ("13 00 00 00", "6f 00 80 00"),
}
_FREEING = ("wait-tasks", "free")


@dataclasses.dataclass(frozen=True)
class Section:
    """One kind of change: a title, a sentence, and scenarios by the first columns of a table's row."""

    title: str
    about: str
    arch: str
    fetch: tuple[str, ...]
    rows: tuple[tuple[tuple[str, ...], tuple[Scenario, ...]], ...]


def _fetch(arch: str) -> tuple[str, ...]:
    return _NO_PARCELS if arch == "riscv64" else tuple(model.name for model in load(arch).fetch_models)


def _calls(protocol: str, arch: str) -> Section:
    """A protocol of the driver at two call sites, as `emu race certify` has it."""
    fetch = _fetch(arch)
    rows: dict[tuple[str, ...], list[Scenario]] = {}
    for case in certification.cases(protocol, arch, 1, 2, fetch):
        how = "undone" if case.fails_at else "made"
        rows.setdefault((case.change.value, "yes" if case.nmi_sites else "no", how), []).append(case)
    about = f"The protocol `{protocol}` on {arch}, at two call sites."
    return Section(f"Call sites: `{protocol}` on {arch}", about, arch, fetch, tuple((key, tuple(of)) for key, of in rows.items()))


def _written(steps: Sequence[WrittenWrite | str]) -> WrittenProtocol:
    return WrittenProtocol(tuple(steps))


_BREAKPOINT = (
    WrittenWrite("head", "breakpoint"), "sync", WrittenWrite("tail", "new"), "sync", WrittenWrite("head", "new"), "sync",
)  # fmt: skip
_ONE_STORE = (WrittenWrite("all", "new"), "sync")


def _of_codes(
    title: str, about: str, arch: str, codes: Sequence[tuple[str, str]], steps: Sequence[WrittenWrite | str] | str
) -> Section:
    """A change of other code than calls, at one site at each place."""
    fetch = _fetch(arch)
    protocol = ShippedProtocol(steps) if isinstance(steps, str) else _written(steps)
    rows = []
    for (old, new), nmi in itertools.product(codes, (False, True)):
        scenarios = tuple(
            Scenario(
                title, protocol, protocol.text, arch=arch, places=(place,), codes=(bytes.fromhex(old), bytes.fromhex(new)),
                nmi_sites=frozenset({1} if nmi else ()), cpus=1, fetch=fetch,
            )
            for place in load(arch).places
        )  # fmt: skip
        rows.append(((f"{old} > {new}", "yes" if nmi else "no", "made"), scenarios))
    return Section(title, about, arch, fetch, tuple(rows))


def _live_patch(arch: str, steps: Sequence[WrittenWrite | str]) -> Section:
    """A function is replaced, its replacement is replaced, and the trampoline of the first goes."""
    fetch = _fetch(arch)
    rows = []
    for change, nmi in itertools.product((Change.NOP_TO_CALL, Change.CALL_TO_CALL, Change.CALL_TO_NOP), (False, True)):
        protocol = _written([*steps, *(_FREEING if change.from_call else ())])
        scenarios = tuple(
            Scenario(
                "live patch", protocol, protocol.text, arch=arch, places=(place,), change=change,
                nmi_sites=frozenset({1} if nmi else ()), cpus=1, fetch=fetch,
            )
            for place in load(arch).places
        )  # fmt: skip
        rows.append(((change.value, "yes" if nmi else "no", "made"), scenarios))
    about = "A live patch redirects the call site of a function. Before a trampoline is freed, each task has left it."
    return Section(f"Live patches on {arch}", about, arch, fetch, tuple(rows))


def _sections() -> Iterator[Section]:
    for protocol, arch in (("breakpoint", "x86_64"), ("flush", "sparc64"), ("stop_machine", "sparc64"), ("flush", "riscv64")):
        yield _calls(protocol, arch)
    for arch, (off, on) in _KEYS.items():
        steps = "breakpoint" if arch == "x86_64" else "flush"
        about = f"The branch of a static key, made and removed by `{steps}`."
        yield _of_codes(f"Static keys on {arch}", about, arch, ((off, on), (on, off)), steps)
    about = "A probe's breakpoint takes the place of one byte of an instruction, and stays. One store is enough."
    yield _of_codes("Probes on x86_64", about, "x86_64", (("55", "cc"), ("cc", "55")), _ONE_STORE)
    yield _live_patch("x86_64", _BREAKPOINT)
    yield _live_patch("sparc64", _ONE_STORE)
    yield _live_patch("riscv64", _ONE_STORE)


SECTIONS = tuple(_sections())


def verdicts_of(scenarios: Sequence[Scenario]) -> list[Verdict]:
    """The verdicts of searches for all that can go wrong, and for what waits for ever."""
    live = [dataclasses.replace(scenario, live=True) for scenario in scenarios]
    return [verdict for scenario in live for verdict in api.searches(scenario, ("model",))]


def lines_of(section: Section) -> Iterator[str]:
    """The section as Markdown."""
    yield f"## {section.title}\n"
    yield f"{section.about}\n"
    yield f"| change | NMIs | patch | {' | '.join(section.fetch)} |"
    yield "|---" * (3 + len(section.fetch)) + "|"
    searches = states = 0
    assumed: dict[str, int] = {}
    for key, scenarios in section.rows:
        verdicts = verdicts_of(scenarios)
        cells = []
        for fetch in section.fetch:
            own = [verdict for verdict in verdicts if verdict.fetch == fetch]
            wrong = [verdict for verdict in own if verdict.outcome is not Outcome.SAFE or not verdict.any_number_of_cpus]
            cells.append(f"**{wrong[0].wrong or wrong[0].outcome}**" if wrong else f"{sum(v.states for v in own):,}")
        searches += len(verdicts)
        states += sum(verdict.states for verdict in verdicts)
        for verdict in verdicts:
            for text in verdict.assumptions:
                assumed[text] = assumed.get(text, 0) + 1
        yield f"| `{key[0]}` | {' | '.join((*key[1:], *cells))} |"
    yield f"\n{searches:,} searches, {states:,} states: safe for any number of CPUs. Each of the searches assumes:\n"
    yield from (f"- {text}" for text, count in assumed.items() if count == searches)
    yield ""


def document() -> str:
    """The whole text."""
    return "\n".join([HEAD, *(line for section in SECTIONS for line in lines_of(section))])


if __name__ == "__main__":
    sys.stdout.write(document())
