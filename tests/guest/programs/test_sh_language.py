# SPDX-License-Identifier: GPL-2.0-only
"""The shell's language compared with dash: expansions, arithmetic, here-documents, tests, builtins; fixed and random scripts."""

from __future__ import annotations

import random
import shutil

import pytest

from tests.guest.programs.conftest import Ended, Guest
from tests.guest.programs.table import assert_same, lines
from tests.lib.needs import needs

DASH = shutil.which("dash")
INPUT = "line1\nline 2\n"

ARITHMETIC = r"""
echo $((1+2*3)) $(( (1+2)*3 )) $((7/2)) $((-7/2)) $((7%3)) $((-7%3))
echo $((1<<4)) $((256>>3)) $((-16>>2)) $((6&3)) $((6|3)) $((6^3)) $((~5)) $((!5)) $((!0))
echo $((1<2)) $((2<=2)) $((3>4)) $((3>=4)) $((1==1)) $((1!=1)) $((1&&0)) $((1||0)) $((0||0))
x=5; echo $((x)) $((x+1)) $(($x+1)) $((${x}2)) $((-x)) $((+x)) $((- -x))
x=5; echo $((x=7)) $x $((x+=3)) $x $((x-=1)) $((x*=2)) $((x/=3)) $((x%=4)) $x
x=6; echo $((x<<=2)) $((x>>=1)) $((x&=10)) $((x|=5)) $((x^=3)) $x
echo $((0x1f)) $((010)) $((1 + 0x10)) $((08)) ; echo end
echo $((1/0)); echo not reached
echo $((5%0)); echo not reached
echo $((0 && 1/0)) $((1 || 1/0)) $((1 ? 2 : 1/0))
echo $((1 +)); echo no
echo $((1 2)); echo no
x=abc; echo $((x)); echo no
x='1 + 2'; echo $((x * 2))
x=' 12 '; echo $((x + 1))
echo "$((1+1))" a$((1+1))b "$((1))$((2))"
i=0; while [ $i -lt 5 ]; do i=$((i+1)); echo $i; done
echo $(( $(echo 3) + `echo 4` ))
set -- 4 5; echo $(($1 * $2 + $#))
echo $((1 == 1 && 2 > 1 || 0))
echo $((2 + 3 * 4 - 5 % 3)) $((1 - 2 - 3)) $((2 << 1 + 1)) $((1 | 2 ^ 3 & 4))
echo $((9223372036854775807 + 1)) $((-9223372036854775807 - 1))
a=3 b=4; echo $((a*a + b*b)) $((a > b ? a : b))
echo $((1+(2*(3+4)))) $(((1)))
x=1; echo $((x ? 10 : 20)) $((!x)) $((x&&!x))
unset z; echo $((z)) $((z+1))
echo $((a b))
echo $((1--1)) $((1 - -1))
echo $((1+2))
x=3; : $((x=x*x)); echo $x
readonly r=1; echo $((r=2)); echo no
"""

VARIABLES = r"""
echo ~ ~/x a~ ~nosuchuser "~" '~' \~
HOME=/home/me; echo ~ ~/b; x=~; echo $x; y=~/a:~/b; echo $y; z=a~; echo $z
x=~/y; echo "$x"; PATH2=~:/bin:~/c; echo $PATH2
readonly a=1; a=2; echo no
readonly a=1; readonly; echo end
readonly a; a=3; echo no
readonly a=1; unset a; echo no
export e=1; export -p | grep ' e='
f() { local x=2 y; y=3; echo $x $y; }; x=1 y=0; f; echo $x $y
f() { local x; echo "[$x]"; x=5; }; x=1; f; echo $x
f() { local x=in; g; }; g() { echo $x; x=changed; }; x=out; f; echo $x
f() { local x=1; unset x; echo "[${x-unset}]"; }; x=0; f; echo $x
local x; echo no
set -u; echo $nosuch; echo no
set -u; echo ${nosuch-ok} ${nosuch:-ok} "$@" $#; echo $1
set -u; echo ${#nosuch}; echo no
set -e; false; echo no
set -e; true; false || true; if false; then :; fi; ! true; ! false; echo yes; false; echo no
set -e; f() { false; echo in; }; f; echo no
set -e; f() { false; echo in; }; f || echo no; echo yes
set -e; (exit 3); echo no
set -e; x=$(false); echo no
set -e; while false; do :; done; until true; do :; done; echo yes
set -e; false | true; echo yes; true | false; echo no
set -e; { false; } && echo a; echo b
set -e; case x in x) false;; esac; echo no
set -e; cat < nofile; echo no
set -x; echo a b; x=1; x=2 true; for i in 1 2; do : $i; done
set -x; f() { echo $1; }; f a; [ a = a ] && echo yes
set -f; echo *.c; set +f; echo *.c
set -n; echo no
set -C; echo a > new; echo b > new; cat new; echo c >| new; cat new; echo d > /dev/null; echo ok
set -a; y=1; sh -c 'echo $y'
set -- a b; set -e; echo $1 $-
set -- -a b; echo "$@"; set a; echo "$@"; set --; echo $#
set -o errexit; false; echo no
set -Z; echo no
set +e; false; echo yes
x=abcabc; echo ${x#a} ${x#*b} ${x##*b} ${x%c} ${x%b*} ${x%%b*} ${x#z} "${x#"a"}"
x=/a/b/c.d.e; echo ${x##*/} ${x%/*} ${x%%.*} ${x#*.} ${x##*.}
x='*'; echo "${x#\*}" "${x#'*'}" "${x%?}"
x=aXbXc; y=X; echo ${x#*$y} ${x##*"$y"} ${x%%$y*}
p='a*'; x=abc; echo "${x#$p}" "${x#"$p"}"
echo ${u:-$(echo sub)} ${u:-`echo back`} ${u:-$((1+1))} "${u:-a b}"
set -- "a b" c; for i in "$@"; do echo "<$i>"; done; for i in ${1+"$@"}; do echo "<$i>"; done
set -- "a b" c; for i in "${@:-x}"; do echo "<$i>"; done; set --; for i in "${@:-x y}"; do echo "<$i>"; done
set -- a b c; for i in $*; do echo "<$i>"; done; IFS=-; echo "$*"; for i in "$*"; do echo "<$i>"; done
set -- 1 2 3 4 5 6 7 8 9 ten eleven; echo $10 ${10} ${11} $#
x=; y="$x"; echo ${x:+no}${y:-yes} ${x+set}
x='a  b'; y=$x; echo "$y"; case $x in 'a  b') echo same;; esac
unset x; echo ${x:=def} $x; echo ${x:=other}
x=1; x=2 y=$x; echo $y
A=1 B=2 sh -c 'echo $A $B'; echo "[$A$B]"
IFS=,; x=a,b,,c; set -- $x; echo $#; for i; do echo "<$i>"; done
IFS=' ,'; x='a , b,c  d'; set -- $x; echo $#
x='a:b'; IFS=:; echo $x "$x"; y=$x; echo "$y"
echo "a\$b" "a\\b" "a\`b" "a\"b" "a\nb"
echo 'a\nb' 'c\td' 'e\\f' 'g\101h' 'i\0101j' 'stop\chere'
echo -n a; echo b; echo -- x; echo -e x; echo -nn y
: ${x:=a} ${y:=b}; echo $x$y
x=hello; echo ${#x} "${#x}" ${#} $((${#x}+1))
true; for i in $((exit 2)); do :; done
true; case $((1 +)) in x) ;; esac
x=$(nosuch) 2>/dev/null; y=$(echo a; echo b >&2) 2>err z=$(ls nofile) >&2; echo "$? $y"; cat err
n=0; f() { n=$((n+1)); f; }; f; echo no
n=0; f() { n=$((n+1)); [ $n -ge 999 ] || f; }; f; echo $n; (f; echo $n)
sh -c 'kill -INT $$; kill -QUIT $$; echo alive' & wait; (trap 'echo no' INT; sh -c 'kill -INT $PPID'; echo after) & wait
x=5; echo $((x--3)) $((x++3)) $((x- -3)) $x $((LINENO))x | sed s/[0-9]*x//
echo "[$IFS]"; old=$IFS; IFS=:; x=a:b; echo $x; IFS=$old; set -- $(echo a b); echo $#
unset PATH; ls; echo $?
f() { local x=$1 y="a b" z=$1$2; echo "$x|$y|$z"; }; f 'c  d' '*'; v='q r *'; export e=$v; readonly r=~:$v; echo "$e|$r"
command export e=$(echo a  b); echo "$e"; f() { local x=$@; echo "$x"; }; f a b
v="a b"; set -- export x=$v; for i in x=$*; do echo "$i"; done
f() { local -; set -f; echo *.c; }; f; echo *.c
set -- a 'b c'; IFS=-; x=$*; y="$@"; z=${nosuch-$*}; echo "$x" "$y" "$z" $*
set -- a 'b c'; IFS=-; case $* in a-b*) echo joined;; esac; IFS=; x=$*; echo "$x"
set -- a.c b.c; echo "${1%.c}" "${@#x}" "${*#x}"
echo ${nosuch:-~} ${nosuch:-~/a} "${nosuch:-~}" ${HOME#~}
echo ${1a}; echo no
set -ef; echo $-; set - a b; echo $#; set -; echo $#; set -x; set - c; echo $1
set -x; echo a 2>&1; x=1 ls nofile 2>err; { echo b; } 2>&1; f() { echo c; }; f 2>/dev/null; exec 2>&1; echo d; cat err
PS4='$x> '; x=1; set -x; echo a; x=2; echo b
PS4='${x:-u}> '; set -x; echo a; echo $(echo b)
sh -o nosuch; sh -o errexit -c 'false; echo no'; echo $?; sh +e --help; sh nofile; echo $?
"""

TESTS = r"""
test; echo $?
[ ]; echo $?
[ a; echo $?
[ a ]; echo $?
[ '' ]; echo $?
[ a = a ] && echo yes; [ a = b ] || echo no; [ a != b ] && echo yes
[ 1 -eq 1 ] && [ 1 -ne 2 ] && [ 1 -lt 2 ] && [ 2 -le 2 ] && [ 3 -gt 2 ] && [ 3 -ge 3 ] && echo all
[ -z '' ] && [ -n x ] && echo both
[ ! a ]; echo $?; [ ! '' ]; echo $?; [ ! a = b ]; echo $?; [ ! -f a.c ]; echo $?
[ a -a b ]; echo $?; [ a -a '' ]; echo $?; [ '' -o b ]; echo $?; [ a = a -a b = b ]; echo $?
[ a = b -o b = b ]; echo $?; [ '(' a = a ')' ]; echo $?; [ '(' a = b ')' -o x ]; echo $?
[ -f a.c ] && [ -d dir ] && [ -e a.c ] && [ -r a.c ] && [ -s a.c ] && echo files
[ -f dir ]; echo $?; [ -x script ]; echo $?; [ -x noexec ]; echo $?; [ -h a.c ]; echo $?
[ 1 -eq x ]; echo $?
[ 1 -eq ]; echo $?
[ a b ]; echo $?
[ a b c ]; echo $?
[ a = b c ]; echo $?
[ -f ]; echo $?; [ -z ]; echo $?; [ = ]; echo $?; [ ! ]; echo $?; [ -a ]; echo $?
[ -n = ]; echo $?; [ = = = ]; echo $?; [ ! = ! ]; echo $?
test -f = -f; echo $?
[ a '<' b ]; echo $?; [ b '>' a ]; echo $?
[ ' 5 ' -eq 5 ]; echo $?
[ -t 0 ]; echo $?
test ! ! a; echo $?
[ -p /dev/null ]; echo $?; [ -c /dev/null ]; echo $?
"""

BUILTINS = r"""
type cd; type :; type if; type ls; type nosuch; echo $?; f() { :; }; type f
command -v cd; command -v :; command -v if; command -v nosuch; echo $?; command -v ls | sed 's/.*bin/bin/'
command echo hi; f() { echo f; }; echo() { :; }; command echo real
command -V cd; command -V nosuch; echo $?
command nosuch; echo $?
command; echo $?
cd dir; cd ..; ls -d dir; cd ./dir/../dir; ls
cd /; pwd; cd /bin/../usr; pwd; cd ..; pwd
cd nofile; echo $?
cd dir && echo ok; cd; pwd
umask 022; umask; umask 077; umask; umask -S; umask u=rwx,g=rx,o=; umask; umask a+r; umask
while getopts ab:c o -a -b arg -c rest; do echo "$o $OPTARG"; done; echo $OPTIND
set -- -ab val x; while getopts ab: o; do echo "$o [$OPTARG]"; done; shift $((OPTIND-1)); echo "$@"
while getopts a o -z; do echo "$o"; done
while getopts :a: o -z -a; do echo "$o $OPTARG"; done
while getopts a: o -a; do echo "$o"; done
getopts; echo no
set -- -- -a; getopts a o; echo $? $OPTIND
x=1; eval 'x=2; echo $x'; eval; echo $?; eval false; echo $?
. ./script; echo $?
echo 'y=7; return 4; echo no' > lib; . ./lib; echo $? $y
printf '%s-%d\n' a 1 b 2; printf x; printf '\n'; printf; echo $?
printf '%d\n' abc; echo $?
printf '%x %o %c %5s|%-5s|\n' 255 8 hello a b
printf '%b' 'a\nb\n'; printf '%s\n' 'a\nb'; printf 'a\tb\101\n'
exec 3>out; echo x >&3; exec 3>&-; cat out
exec 3<a.c; read x <&3; echo $x
wait; echo $?; true & wait $!; echo $?; false & wait $!; echo $?
shift; echo no
set -- a; shift 2; echo no
echo a | while read x; do y=$x; done; echo "[$y]"
echo a 1>&2 2>/dev/null; { echo out; echo err >&2; } 2>&1 | sed s/e/E/
ls nofile 2>&1 >/dev/null | sed 's/.*nofile/nofile/'
echo hi >&- 2>/dev/null; echo $?
cat <a.c >out; cat out; cat <> out
x=out; echo y > $x; cat "$x"; echo z >> "$x"; cat <$x
alias x=echo 'y=echo b '; alias; alias y; alias nosuch; echo $?; type x; command -v y; command -V x
alias x=y; unalias x; alias; unalias x; echo $?; unalias -a; alias
ulimit -n 100; ulimit -n; ulimit -Sn 50; ulimit -Hn; ulimit -S -n; sh -c 'ulimit -n'
ulimit -f 8; ulimit -f; ulimit -c unlimited; echo $?
ulimit -z; echo $?; ulimit -n abc; echo $?; ulimit -n 1 2; echo $?
ulimit -Hn 20; ulimit -Sn 30; echo $?; ulimit | wc -l; ulimit -a | cut -c-20
mkdir dir/s; CDPATH=nodir:dir; cd s | sed 's,.*/,,'; rmdir dir/s
CDPATH=:..:dir; cd ./s; cd .; cd f; echo $?; mkdir dir/s; (cd s >/dev/null; pwd | sed 's,.*/,,'); rmdir dir/s
cd -x; echo $?; pwd -x; echo $?; cd -LP; echo $?
. nofile; echo no
echo 'nosuch; echo $1' > lib; . ./lib a; PATH=.:$PATH; . lib b; echo '(' > lib; . ./lib; echo no
x=1 command env | grep '^x='; echo "[$x]"
printf '%d|%s\n' '' a; printf '%d\n' 99999999999999999999 -99999999999999999999; printf '%u\n' -1
printf 'a%' || echo "$?" | sed s/./b/
echo 'a\e[1mb'
# a comment
echo a;# comment
echo "# no comment" a#b
"""

CONTROL = r"""
true; echo $?; false; echo $?; : a b; echo $?; hash; echo $?
(exit 3) & wait $!; echo $?
unset -f nosuch; echo $?; f() { :; }; unset -f f; f
return; echo no
break; continue; echo $?
f() { return; }; false; f; echo $?
f() { while :; do return 3; done; }; f; echo $?
for i in 1 2 3; do for j in 1 2; do [ $i = 2 ] && continue 2; [ $i = 3 ] && break 2; echo $i$j; done; done
i=0; until [ $i -ge 3 ]; do echo $i; i=$((i+1)); done
! false; echo $?; ! true | false; echo $?; ! { echo x; false; }; echo $?
if ! false; then echo a; fi; while ! true; do :; done; echo $?
case abc in a?c) echo 1;; esac; case abc in [!a]*) echo no;; *) echo 2;; esac; case "a b" in "a b"|c) echo 3;; esac
x='a*'; case abc in $x) echo pat;; esac; case abc in "$x") echo no;; *) echo quoted;; esac
case a in a) ;; esac; echo $?; case $(echo x) in x) echo sub;; esac
case '[' in '[') echo b1;; esac; case ']' in []]) echo b2;; esac; case - in [a-]) echo b3;; esac
case a in [[:alpha:]]) echo cl;; esac; case 5 in [![:digit:]]) echo no;; *) echo dig;; esac
case '\' in '\') echo bs;; esac; case '*' in \*) echo star;; esac; case ab in a\b) echo ab;; esac
f() { echo "$#:$*"; }; f; f a 'b c'; f "$@"; set -- x y; f "$@" z
f() if true; then echo compound; fi; f; g() for i in 1 2; do echo $i; done; g
f() { f() { echo second; }; echo first; }; f; f
f() { [ $1 -gt 0 ] && { echo $1; f $(($1-1)); }; }; f 3
{ echo a; echo b; } | while read x; do echo "<$x>"; done
(x=1; echo $x); echo "[$x]"; { x=2; }; echo $x
a=1; (a=2; (a=3; echo $a); echo $a); echo $a
x=$(echo a; echo b); echo "$x" $x; echo $(echo $(echo deep)) `echo \`echo x\``
echo "$(echo "a b")" "`echo "c d"`" "$(echo 'e "f" g')"
echo $(for i in 1 2 3; do echo $i; done) $(if true; then echo t; fi) $(f() { echo fn; }; f)
echo "$(case a in a) echo x;; esac)" "$(case a in (a) echo y;; esac)"
nosuch 2>/dev/null || echo $?; ./noexec 2>/dev/null || echo $?
true && false || echo c; false && echo no || true && echo d
true; false; echo $?; (false); echo $?; { false; }; echo $?
sh -c 'echo $0 $1' name arg; sh -s a b < script; sh -e -c 'false; echo no'; echo $?
sh -c 'exit 300'; echo $?; sh -ec 'echo a; false; echo b'; echo $?
kill -0 $$ && echo alive
exit 3 | exit 4; echo $?
f() { exit 5; }; (f); echo $?
"""

TRAPS = r"""
trap 'echo bye' EXIT; echo hi
trap 'echo bye' EXIT; exit 3
trap 'echo bye $?' 0; false
trap 'echo bye' EXIT; trap - EXIT; echo hi
trap 'echo bye' EXIT; trap; (echo sub); echo end
trap 'echo bye' EXIT; (trap 'echo subbye' EXIT; echo in); echo out
(trap 'echo subbye' EXIT; ls a.c); (trap 'echo o' EXIT; (trap 'echo i' EXIT; echo in))
(trap 'echo got' USR1; sh -c 'kill -USR1 $PPID')
trap 'exit 5' EXIT; exit 3
trap 'echo a' EXIT; trap 'echo b' EXIT; :
trap "" INT; trap; kill -INT $$; echo alive
trap 'echo got' USR1; kill -USR1 $$; echo after
trap 'echo got' TERM; kill $$; kill -TERM $$; echo after
trap 'echo got; exit 7' INT; kill -INT $$; echo no
trap 'echo t' USR1; sh -c 'kill -USR1 $PPID'; echo done
trap 'echo e' EXIT; exec echo replaced
trap 'echo "it'\''s"' EXIT; trap
f() { trap 'echo fexit' EXIT; }; f; echo main
trap 'echo A' USR1; x=$(kill -USR1 $$; sleep 0.1; echo sub); echo "$x"
trap 'echo 1; trap "echo 2" EXIT; exit 3' EXIT; exit 4
trap 'return 3' USR1; f() { kill -USR1 $$; echo no; }; f; echo $?
trap '' INT; sh -c 'trap "echo no" INT; kill -INT $$; echo alive; trap; trap - INT; kill -INT $$; echo alive'
(trap '' USR1; sh -c 'trap "echo no" USR1; kill -USR1 $$; (kill -USR1 $$; echo sub)'); trap 'echo own' USR1; kill -USR1 $$
"""

SYNTAX = r"""
echo $((1+1)
echo $((1+1
cat <<
cat << ;
while true; do echo x
echo "unterminated
echo `unterminated
for i in a b; do
if; then echo; fi
true &&
true |
esac
)
a() b
case x
!
if true; else; fi
while; do :; done
echo a & & echo b
echo a ;; echo b
x=(a b)
function f { echo x; }
"""

# \\n is the end of a line, \\t a tab.
HERE = r"""
cat <<E\nhello $HOME\nE\necho after
x=5\ncat <<E\n$x $((x+1)) $(echo sub) `echo back` ${x:-d}\nE
x=5\ncat <<'E'\n$x $((x+1)) $(echo sub) \\ \\$\nE
x=5\ncat <<"E"\n$x\nE
x=5\ncat <<\\E\n$x\nE
cat <<E\na\\\nb\n\\$x \\` \\\\ \\" "q" 'q'\nE
cat <<-E\n\ttabs\n\t\ttwo\n  spaces\n\tE\necho end
cat <<A; cat <<B\none\nA\ntwo\nB
cat <<A <<B\none\nA\ntwo\nB
cat <<E | sed s/a/b/\na a\nE
f() { cat <<E\nin f $1\nE\n}\nf x; f y
for i in 1 2; do cat <<E\n$i\nE\ndone
while read a b; do echo "<$a|$b>"; done <<E\none two three\nfour\nE
if true; then cat <<E\nyes\nE\nfi
x=$(cat <<E\ninside\nE\n)\necho "[$x]"
cat <<E\nno end
cat <<E && echo and\ntext\nE
cat 3<<E <&3\nfd three\nE
cat <<E >out; cat out\nto file\nE
cat <<E\n${x:-"quoted"} ${x:-'single'}\nE
cat <<E\n"$(echo "a  b")" '$(echo c)'\nE
cat <<EOF\nEOF
(cat <<E\nsub\nE\n)
{ cat; echo grp; } <<E\nbody\nE
cat <<E\n$(cat <<I\ninner\nI\n)\nE
case x in x) cat <<E\ncase\nE\n;; esac
echo a; cat <<E; echo b\nmiddle\nE
cat <<E\na\\tb\n\\a $ $% $\nE
eval 'cat <<E\nevaled\nE'
cat <<E
cat; cat <<E\n
set -- a b; IFS=:; cat <<E\n$@ "$*"\nE
alias foo='echo aliased' bar='foo x'\nfoo a\nbar y && bar | cat; (bar); if bar; then x=1 bar; fi\n\\foo; 'foo'; $(echo foo)
alias e='echo ' z=zed q='z '\ne z z; e q z z
alias a=b b=a if2='if true; then' p='echo pipe |' nothing=''\na; if2 echo yes; fi; p cat; nothing
alias p='echo pipe |' nothing=''\nnothing echo x; > out p cat; ! nothing nosuch
alias two='echo 1\necho 2' t='echo "'\ntwo\nnosuch\nt"
x=5 xy=6; echo $x\\\ny; cat <<E\n$x\\\ny\nE
alias un='unalias un\necho x'\nun\nun
"""

READ = r"""
read x; echo "[$x]"
read x y; echo "[$x][$y]"; read x y z; echo "[$x][$y][$z]"
echo ' a  b  c ' | { read x y; echo "[$x][$y]"; }
echo 'a:b:c' | { IFS=: read x y; echo "[$x][$y]"; }
echo 'a:b:' | { IFS=: read x y; echo "[$x][$y]"; }
echo 'a::b' | { IFS=: read x y z; echo "[$x][$y][$z]"; }
echo ':a' | { IFS=: read x y; echo "[$x][$y]"; }
printf 'a\\\\nb\\\\ c d\n' | { read x y; echo "[$x][$y]"; }
printf 'a\\\\ b c\n' | { read -r x y; echo "[$x][$y]"; }
printf 'one\\\\\ntwo\n' | { read x; echo "[$x]"; }
printf 'no newline' | { read x; echo "$? [$x]"; }
read x < /dev/null; echo "$? [$x]"
read; echo no
read 1x; echo no
read -z x; echo no
while read l; do echo "<$l>"; done
printf 'a b\nc d\n' | while read p q; do echo "$q $p"; done
printf '  x  \n' | { IFS= read -r x; echo "[$x]"; }
printf 'a b c  \n' | { read x y; echo "[$x][$y]"; }
printf 'a,b , c,\n' | { IFS=', ' read x y; echo "[$x][$y]"; }
"""


TABLES = {
    "arithmetic": lines(ARITHMETIC),
    "variables": lines(VARIABLES),
    "test": lines(TESTS),
    "builtins": lines(BUILTINS),
    "control": lines(CONTROL),
    "traps": lines(TRAPS),
    "syntax errors": lines(SYNTAX),
    "here-documents": [line.replace("\\n", "\n").replace("\\t", "\t").replace("\\\\", "\\") for line in lines(HERE)],
    "read": [line.replace("\\\\", "\\") for line in lines(READ)],
}


def assert_as_dash(guest: Guest, scripts: list[str]) -> None:
    def run(script: str, program: str | None = None) -> Ended:
        return guest.anew().run("sh", "-c", script, program=program, stdin=INPUT)

    assert_same(scripts, run, lambda script: run(script, DASH))


@needs("dash")
@pytest.mark.parametrize("table", TABLES)
def test_does_what_dash_does(guest: Guest, table: str) -> None:
    assert_as_dash(guest, TABLES[table])


def arithmetic(chance: random.Random, depth: int) -> str:
    """An expression without side effects; dash supports all of it."""
    if depth == 0:
        return chance.choice(["0", "1", "2", "3", "7", "255", "0x1f", "017", "x", "y", "$x", "${y}", "unset", "(-3)"])
    kind = chance.randrange(8)
    if kind == 0:
        return f"({arithmetic(chance, depth - 1)})"
    if kind == 1:
        return f"{chance.choice('-+!~')} {arithmetic(chance, depth - 1)}"
    if kind == 2:
        parts = [arithmetic(chance, depth - 1) for _ in range(3)]
        return f"({parts[0]} ? {parts[1]} : {parts[2]})"
    if kind == 3:
        operator = chance.choice(["=", "+=", "-=", "*=", "&=", "|=", "^="])
        return f"({chance.choice('xyz')} {operator} {arithmetic(chance, depth - 1)})"
    operator = chance.choice(["*", "/", "%", "+", "-", "<<", ">>", "<", "<=", ">", ">=", "==", "!=", "&", "^", "|", "&&", "||"])
    right = arithmetic(chance, depth - 1)
    if operator in ("<<", ">>"):
        right = chance.choice("0123")
    return f"{arithmetic(chance, depth - 1)} {operator} {right}"


def word(chance: random.Random, depth: int = 2) -> str:
    """A word with every kind of part that a word can have."""
    pieces = []
    for _ in range(chance.randrange(1, 4)):
        kind = chance.randrange(10 if depth else 5)
        inner = word(chance, depth - 1) if depth else "w"
        name = chance.choice(["x", "y", "e", "u", "1", "2", "@", "*", "#"])
        pieces.append(
            [
                "a",
                "'q r'",
                '"s t"',
                chance.choice(["\\\\", "\\ ", '\\"', "*", "?", "[ab]", "\\*"]),
                f"${name}",
                f'"${name}{chance.choice(["", "z", " "])}"',
                f"${{{chance.choice('xyeu')}{chance.choice([':', ''])}{chance.choice('-+=')}{inner}}}",
                f"${{{chance.choice('xye')}{chance.choice(['#', '##', '%', '%%'])}{inner}}}",
                f'"${{{chance.choice("xyeu")}{chance.choice(["-", ":-", "+", ":+"])}{chance.choice(["a b", "$y", ""])}}}"',
                chance.choice([f"$(echo {inner})", f"$((1 + ${{#{chance.choice('xye')}}}))", "`echo b  c`"]),
            ][kind]
        )
    return "".join(pieces)


PATTERNS = ["a", "b", "c", "*", "?", "[ab]", "[!a]", "[a-c]", "\\*", "'*'", '"b"', "[[:alpha:]]", "-"]


def pattern(chance: random.Random) -> str:
    return "".join(chance.choice(PATTERNS) for _ in range(chance.randrange(1, 5)))


START = "x='a b' y='*.c' e=; set -- 'p  q' '' r; "


@needs("dash")
def test_random_scripts_do_what_dash_does(guest: Guest) -> None:
    chance = random.Random(0)
    scripts = []
    for _ in range(150):
        kind = chance.randrange(4)
        if kind == 0:
            scripts.append(f"x=5 y=9; echo $(({arithmetic(chance, 3)})) $x $y $z")
        elif kind == 1:
            words = " ".join(word(chance) for _ in range(chance.randrange(1, 3)))
            scripts.append(f'{START}for i in {words}; do echo "<$i>"; done; echo "$x|$y|$e|$u"')
        elif kind == 2:
            text = "".join(chance.choice("abc*-") for _ in range(chance.randrange(4)))
            first, second, third = (pattern(chance) for _ in range(3))
            scripts.append(f"case '{text}' in {first}) echo 1;; {second}|{third}) echo 2;; *) echo 3;; esac")
        else:
            delimiter = chance.choice(["E", "'E'"])
            body = word(chance) + "\n" + chance.choice(["\\\\$x", "\"$y\" 'z'", "$((1 + 2))", "`echo x`", "\\"])
            scripts.append(f"{START}cat <<{delimiter}\n{body}\nE")
    assert_as_dash(guest, scripts)


def test_operators_that_dash_has_not(guest: Guest) -> None:
    assert guest.sh("i=5; echo $((i++)) $i $((++i)) $((i--)) $((--i)) $((1, 2))").output == "5 6 7 7 5 2\n"


def test_a_write_that_fails_says_why(guest: Guest) -> None:
    ended = guest.sh("echo hi > /dev/full; echo $?")
    assert (ended.output, ended.errors) == ("1\n", "sh: 1: echo: write error: No space left on device\n")


def test_a_write_that_failed_before_the_last_says_why(guest: Guest) -> None:
    ended = guest.sh("printf %8192s x > /dev/full; echo $?; echo next; echo $?")
    assert (ended.output, ended.errors) == ("1\nnext\n0\n", "sh: 1: printf: write error: No space left on device\n")


def test_the_shells_own_name_for_its_line(guest: Guest) -> None:
    assert guest.sh("echo $LINENO\necho $LINENO").output == "1\n2\n"
