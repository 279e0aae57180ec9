#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# installed.sh BUILD [simulated] [clusters]: what `cmake --install BUILD` gives is moved and used; nothing may come from
# the folders of the build or from where StarPU was built.
set -euo pipefail
build=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "installed: $1" >&2; exit 1; }

cmake --install "$build" --prefix "$work/first" >"$work/install.log" || { tail -5 "$work/install.log"; fail "no installation"; }
mv "$work/first" "$work/moved"
cd "$work"
unset ASTERISM_DATA LD_LIBRARY_PATH
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 STARPU_WORKERS_NOBIND=1
at=$work/moved

# every shared library is the system's, CUDA's or in the installation
while read -r file; do
  while read -r line; do
    case $line in
      *"not found"*) fail "$file: $line" ;;
      *"=> $at/"*|*"=> /lib/"*|*"=> /usr/lib/"*|*/cuda*|*linux-vdso*|*ld-linux*|*"statically linked"*) ;;
      *) fail "$file: $line: from outside of the installation" ;;
    esac
  done < <(ldd "$file")
done < <(find "$at/bin" "$at/lib" "$at/libexec" -type f \( -perm -u+x -o -name '*.so*' \) ! -name 'libstarpu*')

# run PATTERN PROGRAM ARGUMENTS...: ends with 0, prints the pattern, and says nothing of folders that do not exist
run() {
  local pattern=$1
  shift
  echo "\$ $*"
  "$at/bin/$1" "${@:2}" >out.txt 2>err.txt || { local status=$?; cat out.txt err.txt; fail "$1: status $status"; }
  grep -q -- "$pattern" out.txt || { cat out.txt err.txt; fail "$1: printed no \"$pattern\""; }
  if grep -q "does not exist" err.txt; then cat err.txt; fail "$1: looked in the folders of the build"; fi
}
run "against Cholesky" asterism-cg --matrix "$at/share/asterism/data/matrices/bcsstk16.mtx.gz" --preconditioner jacobi --verify
run "relative L2 errors" asterism-fmm --distribution cube --particles 5000 --accuracy 3 --verify
run "iterations" asterism-cg --stencil 7pts-24 --scheduler cyclic --iterations 10 --calibrate --trace recorded
run "makespan" asterism-trace recorded
run "critical path" asterism-bounds recorded
run "hprio" asterism-compare --schedulers hprio,lws --work compared -- "$at/bin/asterism-fmm" --particles 2000 --quiet
run "tdbem-table1" asterism-reproduce --list
run "h200x4" asterism-platform show h200x4
for part; do
  case $part in
    simulated) run "ms per step" asterism-lbm --simulate h200x4 --size 64x256x64 --subdomains 1x4x1 --cpus 0 --steps 5 ;;
    clusters) run "ms per step" asterism-lbm --simulate piz-daint --nodes 2 --size 64x128x64 --subdomains 1x2x1 --cpus 0 --steps 5 ;;
  esac
done
echo "installed: every program ran"
