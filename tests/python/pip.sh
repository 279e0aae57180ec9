#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# pip.sh BUILD SOURCE PYTHON: `pip install .` of what is built in BUILD, into a folder that is moved then: the package
# computes, finds its schedulers and programs, and loads nothing from the folders of the build.
set -euo pipefail
build=$1 source=$2 python=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset ASTERISM_DATA LD_LIBRARY_PATH PYTHONPATH
export PYTHONDONTWRITEBYTECODE=1
install() {
  "$python" -m pip install --quiet --no-index --no-deps --no-build-isolation --no-cache-dir --disable-pip-version-check \
    --root-user-action=ignore --target "$1" --config-settings "$2" "$source" >"$work/pip.txt" 2>&1
}
refuses() {
  if install "$work/refused" "$1" || ! grep -q "asterism: $2" "$work/pip.txt"; then cat "$work/pip.txt"; exit 1; fi
}
refuses "build-dir=$work" "$work cannot be installed"
refuses "builddir=$build" "setting builddir: expected preset or build-dir"
install "$work/first" "build-dir=$build" || { cat "$work/pip.txt"; exit 1; }
mv first moved
du -sh moved
PYTHONPATH=$work/moved "$python" - "$work/moved" "$build" <<'END'
import pathlib
import sys

import numpy
import scipy.sparse

import asterism

place, build = sys.argv[1:]
assert asterism.__file__.startswith(place), asterism.__file__
a = scipy.sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(300, 300))
with asterism.Session(cpus=1, gpus=0, scheduler="hprio") as session:  # a scheduler of ours, in a library that StarPU loads
    x = asterism.cg.Solver(session, a, tolerance=1e-10).solve(numpy.ones(300))
    assert abs(a @ x - 1).max() < 1e-8 and session.scheduler == "hprio"
    loaded = {line.split()[-1] for line in pathlib.Path("/proc/self/maps").read_text().splitlines()}
ours = {path for path in loaded if "libasterism" in path or "libstarpu" in path}
assert any("libasterism-schedulers" in path for path in ours), ours
assert all(path.startswith((place, "/usr/lib", "/lib")) for path in ours), ours
assert not any(path.startswith(build) for path in loaded), loaded
run = asterism.programs.run("cg", "--stencil", "7pts-8", "--gpus", 0)
assert asterism.programs.find("asterism-cg").startswith(place) and run.summary["program"] == "asterism-cg"
print(*sorted(ours), sep="\n")
END
