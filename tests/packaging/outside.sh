#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# outside.sh BUILD SOURCE [PYTHON]: the library, installed into an empty prefix that is moved then, as a project outside
# of the source tree uses it: find_package(Asterism), examples and the programs of docs/library.md built and run,
# headers alone, symbols. PYTHON: the one that the package is for.
set -euo pipefail
build=$1 source=$2 python=${3:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "outside: $1" >&2; exit 1; }

cmake --install "$build" --component library --prefix "$work/first" >"$work/install.log" ||
  { tail -5 "$work/install.log"; fail "no installation"; }
mv "$work/first" "$work/moved"
at=$work/moved
cp -r "$source/examples" "$work/examples"
cp "$source/docs/library.md" "$source/api/symbols.txt" "$work"
cd "$work"
unset ASTERISM_DATA LD_LIBRARY_PATH PKG_CONFIG_PATH
export STARPU_WORKERS_NOBIND=1 STARPU_SILENT=1

# the library shows the names of the interface, those of the list and no other
library=$(find "$at" -name 'libasterism.so')
nm -DC --defined-only "$library" | cut -d' ' -f3- | LC_ALL=C sort -u >shown.txt
diff symbols.txt shown.txt || fail "the library shows other names than api/symbols.txt (left: the list)"

# each header by itself, without anything of the libraries within
for header in "$at"/include/asterism/*.hpp; do
  echo "#include <asterism/$(basename "$header")>" >header.cpp
  g++ -std=c++20 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I "$at/include" -H header.cpp 2>included.txt ||
    { cat included.txt; fail "$header: does not compile by itself"; }
  if grep -iE 'starpu|mpi\.h|hdf5|nlohmann|/fmt/|Eigen' included.txt; then fail "$header: includes a library"; fi
done

cmake -S examples -B out -D CMAKE_PREFIX_PATH="$at" -D CMAKE_CXX_FLAGS="-Wall -Wextra -Werror" >cmake.log 2>&1 ||
  { cat cmake.log; fail "find_package(Asterism)"; }
cmake --build out >build.log 2>&1 || { cat build.log; fail "the examples do not compile"; }
while read -r line; do
  case $line in
    *"not found"*) fail "poisson: $line" ;;
    *libasterism*"=> $at/"*|*libstarpu*"=> $at/"*|*libstarpu*"=> /lib/"*) ;;
    *libasterism*|*libstarpu*|*"$build"*) fail "poisson: $line: from outside of the installation" ;;
  esac
done < <(ldd out/poisson)

# run PATTERN COMMAND...: ends with 0 and prints the pattern
run() {
  local pattern=$1
  shift
  echo "\$ $*"
  "$@" >out.txt 2>err.txt || { local status=$?; cat out.txt err.txt; fail "$1: status $status"; }
  cat out.txt
  grep -q -- "$pattern" out.txt || { cat err.txt; fail "$1: printed no \"$pattern\""; }
}
run "20000 unknowns, 3 wave" out/poisson
run "11754 atoms" bash -c "zcat '$source/data/particles/actin_dimer_11754.pqr.gz' | out/protein"
run "drag coefficient 3" out/flow
run "329 solid cells" out/flow "$source/data/meshes/airliner_coarse.off.gz"
run "theta  90: directivity 1.6" out/antenna
run "300 Hz: 1.9" out/sound
run "160 tasks on 1600000 numbers" out/axpy
export STARPU_SCHED_LIB=$PWD/out/liblpt.so
run "20 tasks" env STARPU_SCHED=lpt out/axpy 4 5
if grep -q "not found" err.txt; then cat err.txt; fail "StarPU does not find the scheduler lpt"; fi
run "20 tasks" env STARPU_SCHED=tpl out/axpy 4 5
grep -q "'tpl' was not found" err.txt || { cat err.txt; fail "StarPU finds a scheduler that does not exist"; }
unset STARPU_SCHED_LIB
run "tasks in .* no schedule beats" out/heat recorded
run "480 of heat_step on CPU" out/bounds recorded
if out/flow none.off 2>err.txt; then fail "flow: status 0 without a mesh"; fi
grep -q "^flow: none.off" err.txt || { cat err.txt; fail "flow: another line"; }
if out/protein </dev/null 2>err.txt; then fail "protein: status 0 without atoms"; fi
grep -q "^protein: no points" err.txt || { cat err.txt; fail "protein: another line"; }

# the page's own programs: the first block of each language
block() { awk -v language="\`\`\`$1" '$0 == language { on = 1; next } /^```/ && on { exit } on' library.md; }
mkdir page
block cpp >page/example.cpp
block cmake >page/CMakeLists.txt
cmake -S page -B page/out -D CMAKE_PREFIX_PATH="$at" >cmake.log 2>&1 && cmake --build page/out >build.log 2>&1 ||
  { cat cmake.log build.log; fail "docs/library.md: the C++ program"; }
run "^0.250 0.500 0.750" page/out/example
if [ -n "$python" ]; then
  export PYTHONPATH
  PYTHONPATH=$(dirname "$(find "$at" -path '*dist-packages/asterism' -type d)")
  block python >page/example.py
  run "converged .* True" "$python" page/example.py
  run "20000 unknowns, 3 wave" "$python" examples/02-poisson/poisson.py
  run "20000 unknowns on 1 process" "$python" examples/02-poisson/poisson_ranks.py
  export PATH=$build/bin:$PATH
  if "$python" -c "import pandas" 2>/dev/null; then
    run "no schedule beats critical_path" "$python" examples/08-bounds/bounds.py out/axpy 8 4
    [ ! -e "$build/libexec/asterism/simulated" ] ||
      run "wrote h200x4.html" "$python" examples/09-simulated/simulated.py h200x4 out/axpy 8 4
  fi
fi

# a component that does not exist, and a version that is too new
mkdir wrong
for wanted in "0.2 REQUIRED COMPONENTS cg weather" "9.0 REQUIRED COMPONENTS cg"; do
  [[ $wanted != 9* ]] || tr -s '\n ' ' ' <cmake.log | grep -q "component weather: expected one of runtime, cg, fdtd, fmm, lbm, tdbem, schedulers, traces, bounds, starpu" ||
    { cat cmake.log; fail "find_package: does not say which components there are"; }
  { echo "cmake_minimum_required(VERSION 3.25)"; echo "project(wrong LANGUAGES CXX)"
    echo "find_package(Asterism $wanted)"; } >wrong/CMakeLists.txt
  if cmake -S wrong -B wrong/out -D CMAKE_PREFIX_PATH="$at" >cmake.log 2>&1; then
    fail "find_package(Asterism $wanted)"
  fi
done
grep -q 'version: 0' cmake.log || { cat cmake.log; fail "find_package: does not say which version there is"; }
echo "outside: the examples ran"
