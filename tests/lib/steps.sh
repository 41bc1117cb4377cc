# SPDX-License-Identifier: LGPL-2.1-or-later
# For the tests of step counters: a folder of their own, programs whose instructions somebody counted, and
# what the result says. Sourced behind tap.sh; ends in that folder.
command -v cc >/dev/null || skip_all "no C compiler"
base=$(mktemp -d)
cd "$base" || exit 1
trap 'cd /; rm -rf "$base"' EXIT

# field NAME[.NAME…]: of result.json.
field() { python3 -c 'import json,sys; d=json.load(open("result.json"))
for k in sys.argv[1].split("."): d=d[k]
print(d)' "$1"; }
seen() { echo "$(field status) $(field steps.count) $(field steps.exact)"; }
# assemble NAME: the program of that name from the assembly on standard input.
assemble() { { echo '.globl _start'; cat; } >"$1.S" && cc -nostdlib -static -o "$1" "$1.S"; }

# ./loop: 204 instructions, the last call included.
assemble_loop() { assemble loop <<'A'
_start:	mov $100, %ecx
1:	dec %ecx
	jnz 1b
	mov $60, %eax
	xor %edi, %edi
	syscall
A
}
