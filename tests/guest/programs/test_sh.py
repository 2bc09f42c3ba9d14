# SPDX-License-Identifier: GPL-2.0-only
"""The shell compared with dash: the same output, messages and status for the same script."""

from __future__ import annotations

import resource
import shutil
import subprocess

import pytest

from tests.guest.programs.conftest import Guest
from tests.guest.programs.table import assert_same, lines
from tests.lib.needs import needs

DASH = shutil.which("dash")

COMMANDS = r"""
echo hello world
echo a; echo b
true && echo yes || echo no
false && echo yes || echo no
false || false && echo no; echo $?
nosuch
nosuch; echo $?
./noexec; echo $?
./nofile; echo $?
./script a 'b c'; echo $?
./dir; echo $?
dir; echo $?
! true; echo $?
! false; echo $?
! return 4
exit 5
exit
false; exit
exit 256
exit abc
# comment
echo a # b
echo a#b
(exit 3); echo $?
(cd dir; ls); ls
{ exit 4; echo no; }; echo no
(echo a;(echo b;(echo c)))|cat
a&&b
echo a&&echo b||echo c
exec echo replaced; echo no
exec nosuch; echo no
eval 'echo a; echo b'
eval 'x=1;' 'y=2'; echo $x$y
eval '|'; echo no
. ./script; echo no
. ./nosuch; echo $?
cd nodir; echo $?
break; echo $?
return 3; echo no
wait abc; echo $?
wait %1; echo $?
hash; hash ls; hash nosuch; echo $?
times | wc -l; type times hash
mkdir g; cd g; rmdir ../g; pwd | sed 's,.*/,,'; cd ..; pwd > /dev/null; echo $?; cd -P .; echo $?
trap 'echo got' USR1; (sleep 0.1; kill -USR1 $$) & sleep 0.3 & wait $!; echo $?
trap 'echo got' USR1; (sleep 0.1; kill -USR1 $$) & sleep 0.3 & wait; echo $?
trap 'echo out; (trap "echo in" EXIT); (exit 3); echo $?' EXIT
trap 'trap "echo anew" USR1; : $(echo)\necho old' USR1; kill -USR1 $$; kill -USR1 $$
export x; x=1 :; x=2; env | grep ^x; unset y; export y; y=1 cd .; y=2; env | grep ^y
export x; f() { echo $x; }; x=1 f; x=2; env | grep ^x; g() { local x=3; }; unset x; export x; g; x=4; env | grep ^x
sleep 0.2 & kill -STOP $!; sleep 0.05; jobs; (sleep 0.1; kill -CONT $!) & wait $!; wait; echo $?
PATH=/nonexistent ls; echo $?
"""

PIPES_AND_JOBS = r"""
ls | cat
ls | sed s/[aeiou]/z/g
cat a.c b.c | cat | cat | cat
cat a.c | (cat; echo sub) | { cat; echo grp; }
true | false; echo $?
false | true; echo $?
false | echo $?
nosuch | cat; echo $?
sleep 0.05 & wait; echo done
sleep 0.01 & wait $!; echo $?
sh -c 'exit 7' & wait $!; echo $?
wait 99999; echo $?
cat & wait
echo a | cat & wait
echo $! x
fault segv; echo $?
fault ud; echo $?
fault div0 | cat; echo $?
fault segv | true; echo $?
sh -c 'kill -9 $$'; echo $?
sh -c 'kill -TERM $$'; echo $?
sh -c 'kill -INT $$'; echo $?
sh -c 'kill -PIPE $$'; echo $?
sh -c 'kill -USR1 $$'; echo $?
"""

REDIRECTIONS = r"""
echo foo > out; cat out; echo bar >> out; cat < out
echo foo >out 2>&1; cat out
nosuch 2>/dev/null; echo $?
nosuch > out 2>&1; cat out
cat < nofile; echo $?
echo x > /nodir/file; echo $?
echo x > dir; echo $?
: < nofile; echo not reached
cat 3<a.c <&3
echo err 1>&2
echo hi 2>&1 >&2
{ echo a; echo b; } > out; cat out
echo 2 >out 3; cat out
echo 2>out; cat out
echo a2>out; cat out
echo "2">out; cat out
echo a>out b; cat out
> new; ls
x=1 > new; echo $x; ls
echo a >out; echo b >out 2>out; cat out
echo x >|out; cat out
cat nofile 2>out >&2; cat out
cat <&-; echo $?
exec > out; echo x; cat out 1>&2
exec 3>out; echo y >&3; cat out
exec 3<a.c 4<b.c; cat <&3; cat <&4; exec 3<&-; cat <&3; echo $?
exec 2>out; nosuch; cat out
for i in a b; do echo $i; done > out; cat out
while true; do echo loop; break; done < nofile; echo $?
f() { echo x; } > out; f; cat out
f() { echo body; }; f > out; cat out
"""

QUOTES_AND_VARIABLES = r"""
echo "a  b" 'c  d' e\ f
echo "a'b'c" 'a"b"c'
echo ""a"" ''b'' "" x
echo \$x \\ \' \" \a
echo "$" '$' $ "$ x" $%
x=1; echo $x; x=2 ; echo $x$x ${x}y
x="a   b"; echo $x "$x" '$x'
x=1 sh -c 'echo $x'; echo "[$x]"
x=1; export x; sh -c 'echo $x'
export y=5; sh -c 'echo $y'
x=1 :; echo "[$x]"
x=1 cd dir; echo "[$x]"; ls
a=b=c; echo $a
a='x y' b=$a; echo "$b"
1a=b; echo $?
a-b=c
=x
unset HOME; echo "[$HOME]"
"if" true
\if true
x=if; $x
echo if then { }
echo $#; echo "$@"
set -- a 'b c' d; echo $# $1 "$2"; for i in "$@"; do echo "<$i>"; done
set -- a 'b c' d; for i in $@; do echo "<$i>"; done; for i in "$*"; do echo "<$i>"; done
set --; for i in "$@"; do echo "<$i>"; done; echo none
set --; for i in "x$@y"; do echo "<$i>"; done
set -- a b; for i in "x$@y"; do echo "<$i>"; done
set -- '' b; for i in "$@"; do echo "<$i>"; done; for i in $@; do echo "<$i>"; done
set a b c; shift; echo $1; shift 2; echo $#; shift; echo no
x=; for i in $x "$x" ''; do echo "<$i>"; done
x='p q'; for i in $x$x a"$x"b$x "$x""$x"; do echo "<$i>"; done
IFS=:; x=a:b::c; for i in $x; do echo "<$i>"; done
IFS=': '; x='a : b:: c '; for i in $x; do echo "<$i>"; done
IFS=; x='a b'; for i in $x; do echo "<$i>"; done
IFS=:; set -- a b; echo "$*" "$@"
IFS=:; x=:a:; for i in $x; do echo "<$i>"; done
unset x; echo "${x-def} ${x:-def} ${x+alt} ${x:+alt}"
x=; echo "${x-def} ${x:-def} ${x+alt} ${x:+alt}"
x=v; echo "${x-def} ${x:-def} ${x+alt} ${x:+alt}"
echo ${x=assigned}; echo $x
echo ${x?}
echo ${x?msg here}
x=; echo ${x:?}
x=path/to/file.tar.gz; echo ${x#*/} ${x##*/} ${x%.*} ${x%%.*}
x='a*b'; echo ${x#'a*'} "${x%'*b'}" "${x#a\*}"
x='a}b'; echo ${x%\}b} "${x%"}b"}"
x=hello; echo ${#x} ${#} ${#nosuch}
for i in ${n-a b} ${n-"a b"} "${n-a b}"; do echo "<$i>"; done
for i in "${n-'q'}" ${n-'q r'} "${n-"z y"}"; do echo "<$i>"; done
echo ${n-${HOME}} ${n-$(echo hi)}
echo ${x!}
echo ${}
"""

FILE_NAMES = r"""
echo *.c
echo * .*
echo [ab].c x[12] x[!1] x?
echo '*'.c \*.c "*".c
echo nomatch* [z]
echo */f d*/* ./*.c
x='*.c'; echo $x "$x"
a=*; echo "$a" $a
"""

SUBSTITUTIONS = r"""
echo $(echo sub) "$(echo a  b)" $(echo a  b)
echo "$(echo "nested $(echo deep)")"
echo `echo \`echo deep\``
echo "`echo "q"`" "`echo \"q r\"`"
x=$(exit 4); echo $?
echo $(exit 4); echo $?
echo a$(echo)b
x="$(ls)"; echo "$x"
echo $(case x in x) echo paren;; esac)
echo $(echo 'a)b') $(echo "c)d") $( (echo sub) )
x=`nosuch`; echo $?
echo "$(
"""

COMPOUND = r"""
if true; then echo a; else echo b; fi
if false; then echo a; elif true; then echo c; else echo b; fi
if false; then echo a; fi; echo $?
for i in 1 2 3; do echo $i; done
for i in; do echo $i; done; echo $?
for i in 1 2 3; do case $i in 2) continue;; esac; echo $i; done
for i in 1 2; do for j in a b; do continue 2; echo x; done; echo y; done; echo end
for i in 1 2; do for j in a b; do break 2; done; echo $j; done
while false; do echo x; done; echo $?
while break; do echo x; done; echo $?
until true; do :; done; echo ok
case foo in f*) echo f;; *) echo other;; esac
case foo in (bar|foo) echo f;; esac
case 'a*' in 'a*') echo lit;; esac; case ab in a\*) echo no;; a*) echo yes;; esac
case x in esac; echo $?
f() { echo "f $1 $#"; return 3; echo no; }; f a b; echo $?
f() { x=9; }; f; echo $x
f() ( exit 6 ); f; echo $?
f() { exit 9; }; f; echo no
f() { f2; }; f2() { echo f2; }; f
f() { echo $1; shift; echo $1; }; set -- p q; f a b; echo $1
f() { for i in 1 2; do return 5; done; }; f; echo $?
f() { cat; }; echo in | f
"""

SYNTAX_ERRORS = r"""
|
| cat
echo |
echo | | cat
&
;
;;
echo ;; echo
(
( echo
echo )
{ echo
}
fi
if
if true
if true; then
if true; fi
if true; then echo
if; then
while true; do
for
for 1 in a; do :; done
for i in a b echo
for i in a; done
case
case x in
case x in x
case x in x)
case x foo
done
f(
f()
f() {
a b()
1a() { :; }
echo >
echo > ;
echo > > x
echo 2>&x
echo &&
&& echo
echo && && echo
! ! true
echo a; | echo
then
echo "abc
echo 'abc
echo ${x
echo `x
true; ) echo
"""


LINES = [
    "if false\nthen echo a\nelse\n echo b\nfi",
    "echo a |\n cat",
    "true &&\n\n echo x",
    "echo a \\\nb; ec\\\nho c",
    'echo \'a\nb\' "c\nd" "e\\\nf"',
    "# comment\necho a # b\n\n\necho c",
    "for i in 1 2\ndo\n  echo $i\ndone",
    "for i\nin 1\ndo echo $i; done",
    "case x in\n  y) echo y\n  ;;\n\n  x)\n    echo x\nesac",
    "f()\n{\n  echo f\n}\nf",
    "echo one\nnosuch\n\nnosuch2",
    "echo one\nif true\necho two",
    "x=$(\necho a\necho b\n)\necho $x",
    "echo $(echo a # comment )\n)",
]


TABLES = {
    "commands": lines(COMMANDS),
    "pipes and jobs": lines(PIPES_AND_JOBS),
    "redirections": lines(REDIRECTIONS),
    "quotes and variables": lines(QUOTES_AND_VARIABLES),
    "file names": lines(FILE_NAMES),
    "substitutions": lines(SUBSTITUTIONS),
    "compound commands": lines(COMPOUND),
    "syntax errors": lines(SYNTAX_ERRORS),
    "several lines": LINES,
}


@needs("dash")
@pytest.mark.parametrize("table", TABLES)
def test_does_what_dash_does(guest: Guest, table: str) -> None:
    assert_same(TABLES[table], lambda script: guest.anew().sh(script), lambda script: guest.anew().sh(script, program=DASH))


@needs("dash")
def test_arguments_after_a_script(guest: Guest) -> None:
    script = "echo $0 $1 $#; nosuch"
    assert guest.sh(script, "name", "a", "b") == guest.sh(script, "name", "a", "b", program=DASH)


def test_a_script_on_standard_input_leaves_the_rest_to_its_commands(guest: Guest) -> None:
    assert guest.run("sh", stdin="echo one\ncat\nfor cat\n").output == "one\nfor cat\n"


def test_a_script_file(guest: Guest) -> None:
    ended = guest.run("sh", "./script", "x", "y z")
    assert (ended.status, ended.output) == (3, "script x y z\n")


def test_a_script_file_that_is_missing(guest: Guest) -> None:
    ended = guest.run("sh", "nofile")
    assert (ended.status, ended.errors) == (2, "sh: 0: cannot open nofile: No such file\n")


def test_prompts_and_life_after_errors(guest: Guest) -> None:
    ended = guest.run("sh", "-i", stdin="nosuch\n)\nfor i in 1 2\ndo echo $i; done\n{ ${x?}; } >out\necho back\nexit 7\n")
    assert ended.status == 7
    assert ended.output == "1\n2\nback\n"
    assert ended.errors == (
        '# sh: 1: nosuch: not found\n# sh: 2: Syntax error: ")" unexpected\n# > # sh: 5: x: parameter not set\n# # '
    )


def test_an_error_ends_a_shell_whose_commands_are_not_typed(guest: Guest) -> None:
    for command in ("echo ${x?}", ". /nofile", "eval ')'"):
        (guest.cwd / "commands").write_text(f"{command}\necho not reached\n")
        for words in (["-c", f"{command}; echo not reached"], ["commands"]):
            ended = guest.run("sh", "-i", *words)
            assert (ended.status, ended.output) == (2, ""), command
    assert guest.run("sh", "-i", "-c").status == 2


def test_the_shell_waits_for_each_stage_of_a_pipeline(guest: Guest) -> None:
    ended = guest.sh("{ sleep 0.1; echo late >&2; } | true; echo after >&2")
    assert ended.errors == "late\nafter\n"


def test_background_commands_do_not_read_the_shells_input(guest: Guest) -> None:
    assert guest.run("sh", stdin="cat & wait\necho next\n").output == "next\n"


def test_a_subshell_keeps_the_pid_of_its_shell(guest: Guest) -> None:
    first, second = guest.sh("echo $$; (echo $$)").output.split()
    assert first == second


def test_memory_does_not_grow_with_the_rounds_of_a_loop(guest: Guest) -> None:
    """65,536 rounds in 256 KiB: a leak of four bytes per round would be too much."""
    digits = " ".join("0123456789abcdef")
    loops = "".join(f"for {name} in {digits}; do " for name in "wxyz")
    done = subprocess.run(
        ["sh", "-c", f"f() {{ v=$1; }}; {loops} f $w$x$y$z; done; done; done; done; echo $v"],
        executable=guest.bin / "sh",
        env={"PATH": str(guest.bin)},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (256 * 1024, 256 * 1024)),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.stdout, done.stderr) == (b"ffff\n", b"")


KILL_AND_WAIT = [
    ("type kill; command -v kill", "kill is a shell builtin\nkill\n", ""),
    ("sleep 9 & kill %1; wait %1; echo $?", "143\n", "Terminated\n"),
    ("sleep 1 & kill -s INT %+; sleep 9 & kill -9 %2; wait %2; echo $?", "137\n", "Killed\n"),
    ("sleep 9 & sleep 8 & kill -KILL %-; wait %1; echo $?; kill %%; wait %; echo $?", "137\n143\n", "Killed\nTerminated\n"),
    ("sleep 9 | sleep 8 & kill %1; wait %1; echo $?", "143\n", "Terminated\nTerminated\n"),
    ("sleep 0 & sh -c 'exit 4' & wait %1 %2; echo $?", "4\n", ""),
    ("sleep 9 & sh -c 'exit 3' & wait %2; kill %1; wait %1; sleep 0 & wait %1; echo $?", "0\n", "Terminated\n"),
    ("kill %1; echo $?", "1\n", "sh: 1: kill: No such job: %1\n"),
    ("wait %2; echo $?", "2\n", "sh: 1: wait: No such job: %2\n"),
    ("kill -9 %%; echo $?", "1\n", "sh: 1: kill: No current job\n"),
    ("kill -FOO $$; echo $?", "1\n", "sh: 1: kill: FOO: invalid signal\n"),
    ("kill -l 137; kill -l TERM", "KILL\n15\n", ""),
    ("trap 'echo got' USR1; kill -s USR1 $$; kill -0 $$; echo $?", "got\n0\n", ""),
    ("PATH=; kill -CONT $$; echo $?", "0\n", ""),
]


def test_kill_and_wait_know_jobs(guest: Guest) -> None:
    def run(line: tuple[str, str, str]) -> tuple[str, str, str]:
        ended = guest.anew().sh(line[0])
        return line[0], ended.output, ended.errors

    assert_same(KILL_AND_WAIT, run, lambda line: line)
