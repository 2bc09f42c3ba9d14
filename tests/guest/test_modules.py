# SPDX-License-Identifier: GPL-2.0-only
"""Loadable modules: loading, using and unloading them, and what is refused."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from emu.machine import GuestPanic, Machine
from tests.lib.booted_machine import booted_machine

MODULES = "/lib/modules"


@pytest.fixture
def machine(arch: str) -> Iterator[Machine]:
    with booted_machine(arch, cpus=2) as made:
        yield made


def output(machine: Machine, command: str) -> str:
    """The output of a command, which must succeed, without the kernel's time stamps."""
    done = machine.run(command)
    assert done.status == 0, done.output
    return messages(done.output)


def messages(text: bytes) -> str:
    return re.sub(r"^\[ *[\d.]+\] ", "", text.decode(), flags=re.MULTILINE)


def test_a_module_runs_and_stops(machine: Machine) -> None:
    assert output(machine, f"insmod {MODULES}/sample_timer.ko period=2; usleep 10500") == ""
    beats = re.fullmatch(r"sample_timer: (\d+) beats\n", output(machine, "rmmod sample_timer"))
    assert beats is not None and 8 <= int(beats[1]) <= 16
    assert machine.warnings == []


def test_its_memory_is_used_again(machine: Machine) -> None:
    """Other code is loaded to the same addresses: no CPU may use its old translations."""
    load = f"insmod {MODULES}/sample_timer.ko period=2; usleep 3000; rmmod sample_timer"
    for _ in range(3):
        assert "beats" in output(machine, load)
        assert output(machine, f"insmod {MODULES}/sample_export.ko; insmod {MODULES}/sample_use.ko count=3") == (
            "sample_use: the sum is 14\n"
        )
        output(machine, "rmmod sample_use sample_export")
    assert not list(machine.kernel.modules)


def test_parameters(machine: Machine) -> None:
    output(machine, f"insmod {MODULES}/sample_export.ko")
    use = f"insmod {MODULES}/sample_use.ko"
    said = output(machine, f"{use} count=0x4 'greeting=\"it is\"' none=1; rmmod sample_use; {use} quiet; rmmod sample_use")
    assert said == "sample_use: unknown parameter 'none' ignored\nsample_use: it is 30\n"
    for wrong in ("count=x", "count=99999999999", "quiet=perhaps", "count"):
        done = machine.run(f"{use} {wrong}")
        assert done.status == 1
        value = wrong.partition("=")[2]
        assert f"sample_use: `{value}' invalid for parameter `{wrong.partition('=')[0]}'\n" in messages(done.output)


def test_an_init_that_fails_leaves_nothing(machine: Machine) -> None:
    done = machine.run(f"insmod {MODULES}/sample_fail.ko")
    assert (done.status, messages(done.output)) == (
        1,
        "sample_fail: there is no such device\n"
        f"insmod: ERROR: could not insert module {MODULES}/sample_fail.ko: No such device\n",
    )
    assert b"Device or resource busy" in machine.run(f"insmod {MODULES}/sample_fail.ko error=-16").output
    assert not list(machine.kernel.modules)
    assert not [name for name in machine.tracefs.read("available_filter_functions").splitlines() if "[" in name]


def test_a_module_that_others_use_stays(machine: Machine) -> None:
    done = machine.run(f"insmod {MODULES}/sample_use.ko")
    assert (done.status, messages(done.output)) == (
        1,
        "sample_use: Unknown symbol sample_sum_of_squares (err -2)\n"
        f"insmod: ERROR: could not insert module {MODULES}/sample_use.ko: Unknown symbol in module\n",
    )
    assert output(machine, "modprobe sample-use quiet; modprobe sample_use") == ""
    assert [module.name for module in machine.kernel.modules] == ["sample_export", "sample_use"]
    assert machine.run("rmmod sample_export").status == 1
    assert machine.run(f"insmod {MODULES}/sample_export.ko").output.endswith(b"sample_export.ko: File exists\n")
    output(machine, "modprobe -r sample_use")
    assert not list(machine.kernel.modules)


def test_what_says_which_modules_there_are(machine: Machine) -> None:
    output(machine, "modprobe sample_use quiet")
    use, export = machine.run("cat /proc/modules").output.decode().splitlines()
    base = {module.name: f"0x{module.core.base:016x}" for module in machine.kernel.modules}
    assert re.fullmatch(rf"sample_use \d+ 0 - Live {base['sample_use']}", use)
    assert re.fullmatch(rf"sample_export \d+ 1 sample_use, Live {base['sample_export']}", export)
    assert re.fullmatch(
        r"Module                  Size  Used by\nsample_use +\d+  0\nsample_export +\d+  1 sample_use\n", output(machine, "lsmod")
    )
    assert machine.run("rmmod sample_export nothing sample_use; rmmod").output.decode().splitlines() == [
        "rmmod: ERROR: Module sample_export is in use by: sample_use",
        "rmmod: ERROR: Module nothing is not currently loaded",
        "rmmod: ERROR: missing module name.",
    ]


def test_kallsyms(machine: Machine) -> None:
    before = output(machine, "cat /proc/kallsyms")
    assert re.search(r"^[0-9a-f]{16} [tT] schedule$", before, re.MULTILINE)
    output(machine, "modprobe sample_timer")
    lines = output(machine, "cat /proc/kallsyms").removeprefix(before).splitlines()
    assert {line.split(" ", 1)[1] for line in lines} >= {"t sample_beat\t[sample_timer]", "T sample_count\t[sample_timer]"}
    assert not any("sample_timer_init" in line for line in lines)


def test_modinfo(machine: Machine) -> None:
    lines = output(machine, "modinfo sample_timer").splitlines()
    assert lines[0] == f"filename:       {MODULES}/sample_timer.ko"
    assert "parm:           period:milliseconds between two beats (uint)" in lines
    assert output(machine, f"modinfo -F depends {MODULES}/sample_use.ko") == "sample_export\n"


def test_what_cannot_be_loaded(machine: Machine) -> None:
    for command, complaint in (
        ("insmod /init", "insmod: ERROR: could not insert module /init: Invalid module format"),
        ("insmod /nowhere", "insmod: ERROR: could not load module /nowhere: No such file or directory"),
        ("insmod", "insmod: ERROR: missing filename."),
        ("modprobe nothing", f"modprobe: FATAL: Module nothing not found in directory {MODULES}/6.1.0-emu"),
        (f"insmod {MODULES}/sample_timer.ko period=0", "sample_timer.ko: Invalid parameters"),
        (f"insmod {MODULES}/sample_timer.ko load_only", "sample_timer.ko: Operation canceled"),
    ):
        done = machine.run(command)
        assert done.status == 1
        assert messages(done.output).splitlines()[-1].endswith(complaint), command
        assert not list(machine.kernel.modules)


@pytest.mark.parametrize(("how", "function"), [("null", "sample_crash_null"), ("text", "sample_crash_text")])
def test_a_module_that_crashes_costs_its_task_its_life(machine: Machine, how: str, function: str) -> None:
    done = machine.run(f"insmod {MODULES}/sample_crash.ko how={how}; echo $?; cat /init > /tmp/x; echo alive")
    text = messages(done.output)
    assert "Segmentation fault\n139\nalive\n" in text
    assert "Oops [#1] PREEMPT SMP\n" in text
    assert re.search(rf"^Call Trace:\n  {function}\+0x\w+/0x\w+ \[sample_crash\]\n  sample_crash\+", text, re.MULTILINE)
    assert "\nModules linked in: sample_crash(+)\n---[ end trace 0000000000000000 ]---\n" in text
    assert len(machine.warnings) == 1 and machine.warnings[0].startswith("guest oops on CPU ")
    assert b"Module sample_crash is in use" in machine.run("rmmod sample_crash").output


def test_a_thread_that_crashes_leaves_the_module(machine: Machine) -> None:
    text = messages(machine.run(f"insmod {MODULES}/sample_crash.ko how=wild where=thread; usleep 5000; echo alive").output)
    assert re.search(r"^CPU: \d PID: \d+ Comm: sample_crash Not tainted 6.1.0-emu", text, re.MULTILINE)
    assert text.endswith("alive\n")
    assert machine.run("rmmod sample_crash").status == 0
    assert machine.run(f"insmod {MODULES}/sample_crash.ko; rmmod sample_crash").status == 0


def test_the_first_oops_can_end_the_machine(machine: Machine) -> None:
    with pytest.raises(GuestPanic, match="Fatal exception\n"):
        machine.run(f"echo 1 > /proc/sys/kernel/panic_on_oops; insmod {MODULES}/sample_crash.ko how=jump")


def test_a_crash_in_an_interrupt_ends_the_machine(machine: Machine) -> None:
    with pytest.raises(GuestPanic, match=r"Fatal exception in interrupt\n(.*\n)*.*sample_crash_null\+0x.* \[sample_crash\]"):
        machine.run(f"insmod {MODULES}/sample_crash.ko how=null where=timer; usleep 50000")


def test_trace_printk(machine: Machine) -> None:
    use = f"insmod {MODULES}/sample_printk.ko count=2; usleep 15000; rmmod sample_printk"
    assert output(machine, use).count("NOTICE: trace_printk() is in use") == 1
    lines = [line for line in machine.tracefs.read("trace").splitlines() if not line.startswith("#")]
    where = [re.fullmatch(r" *(\S+)-\d+ +\[\d+\] (\S+) +[\d.]+: (.*)", line).groups() for line in lines]
    assert [text for _, _, text in where] == [
        "sample_printk_init [sample_printk]: hello",
        "sample_printk_tick [sample_printk]: tick 1 of 2",
        "sample_printk_tick [sample_printk]: tick 2 of 2",
        "sample_printk_exit [sample_printk]: 2 of 2",
    ]
    assert [place[:2] for place in (where[0], where[3])] == [("insmod", "....."), ("rmmod", ".....")]
    assert all(flags[2] == "s" for _, flags, _ in where[1:3])
    machine.tracefs.write("trace_options", "notrace_printk")
    machine.tracefs.write("trace", "")
    assert output(machine, use) == ""
    assert "sample_printk" not in machine.tracefs.read("trace")


def test_what_sysfs_shows_of_a_module(machine: Machine) -> None:
    place = "/sys/module/sample_timer"
    assert output(
        machine, f"insmod {MODULES}/sample_timer.ko period=5; cd {place}; cat initstate refcnt initsize parameters/period"
    ) == ("live\n0\n0\n5\n")
    size = int(output(machine, f"cat {place}/coresize"))
    assert output(machine, "cat /proc/modules").startswith(f"sample_timer {size} 0 - Live ")
    assert output(machine, f"echo 20 > {place}/parameters/period; cat {place}/parameters/period") == "20\n"
    assert b"Invalid argument" in machine.run(f"echo x > {place}/parameters/period").output
    # Open files outlive the module, but reading and writing them fails.
    held = machine.run(f"exec 3< {place}/initstate 4> {place}/parameters/period; rmmod sample_timer; cat <&3; echo 1 >&4")
    assert held.output.count(b"No such device") == 2
    assert output(machine, "ls /sys/module") == ""


def test_a_parameter_of_text_is_read_only_if_its_mode_says_so(machine: Machine) -> None:
    load = f"insmod {MODULES}/sample_export.ko; insmod {MODULES}/sample_use.ko greeting=moin"
    place = "/sys/module/sample_use"
    assert output(machine, f"{load}; cat {place}/parameters/greeting {place}/parameters/quiet").endswith("moin\nN\n")
    assert b"Permission denied" in machine.run(f"echo x > {place}/parameters/greeting").output
    assert output(machine, "cat /sys/module/sample_export/refcnt") == "1\n"
    assert output(machine, "rmmod sample_use sample_export; ls /sys/module") == ""
