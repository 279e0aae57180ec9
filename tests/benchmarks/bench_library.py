#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a call of the library costs beside the program: conjugate gradient and the fast multipole method as program, from
C++ and from Python, on the same arrays, in turn, each in a process of its own: seconds of the solution and peak memory.

tests/benchmarks/bench_library.py [--build build/ci] [--rounds 5] [--cores 2] [--python /usr/bin/python3] --out FILE

Needs NumPy and SciPy, and the targets programs, asterism_python and bench_library_calls.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import bench_runs  # noqa: E402

GRID, PARTICLES = 96, 200_000

# writes the arrays, as files of NumPy for the program and as bytes for the callers
ARRAYS = r"""
import sys, numpy, scipy.sparse as sparse
folder, n, particles = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
line, one = sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(n, n)), sparse.identity(n)
a = sum(sparse.kron(sparse.kron(x, y), z) for x, y, z in ((line, one, one), (one, line, one), (one, one, line))).tocsr()
a.sort_indices()
sparse.save_npz(f"{folder}/a.npz", a, compressed=False)
a.indptr.astype("i4").tofile(f"{folder}/indptr"); a.indices.astype("i4").tofile(f"{folder}/indices"); a.data.tofile(f"{folder}/data")
random = numpy.random.default_rng(1)
points, charge = random.random((3, particles)), random.choice([-1.0, 1.0], particles)
numpy.save(f"{folder}/particles.npy", numpy.column_stack((points.T, charge)))
points.tofile(f"{folder}/points"); charge.tofile(f"{folder}/charge")
print(a.indptr.size * 4 + a.indices.size * 4 + a.data.nbytes, points.nbytes)
"""

# the caller in Python
CALLER = r"""
import json, resource, sys, numpy, asterism
method, folder, cores = sys.argv[1:]
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
read = lambda name, kind: numpy.fromfile(f"{folder}/{name}", kind)
with asterism.Session(cpus=int(cores), gpus=0) as session:
    if method == "cg":
        solver = asterism.cg.Solver(session, (read("indptr", "i4"), read("indices", "i4"), read("data", float)), preconditioner="none")
        x = solver.solve(numpy.ones(solver.rows))
        found = {"seconds": [solver.last.seconds], "iterations": solver.last.iterations}
    else:
        charge = read("charge", float)
        evaluator = asterism.fmm.Evaluator(session, read("points", float).reshape(3, -1), height=5, group_size=64)
        found = {"seconds": [evaluator.evaluate(charge).seconds for _ in range(3)]}
print(json.dumps({**found, "before_bytes": before}))
"""


def measured(command, environment):
    """Standard output of a command, and the most memory that it had."""
    with tempfile.TemporaryFile("w+") as out:
        child = subprocess.Popen(command, stdout=out, env=environment)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            bench_runs.stop(f"{command[0]}: status {child.returncode}")
        out.seek(0)
        return out.read(), usage.ru_maxrss * 1024


def later(seconds):
    """As programs do: the first of several calls pays for page faults."""
    return statistics.median(seconds[1:] or seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--build", default="build/ci")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cores", default="2")
    parser.add_argument("--python", default="/usr/bin/python3", help="the one that the package is for (default: %(default)s)")
    parser.add_argument("--out", required=True)
    args = parser.parse_args()
    folder = bench_runs.programs(args.build)
    caller = next(path for path in (folder / "bench_library_calls", folder.parent / "tests" / "bench_library_calls")
                  if path.exists())
    environment = {**os.environ, "PYTHONPATH": str(folder.parent / "python"), "ASTERISM_RATES": "off", "STARPU_SILENT": "1"}
    cases, header = [], None
    with tempfile.TemporaryDirectory() as work:
        done = subprocess.run([args.python, "-c", ARRAYS, work, str(GRID), str(PARTICLES)], capture_output=True, text=True, check=True)
        sizes = dict(zip(("cg", "fmm"), map(int, done.stdout.split())))
        options = {"cg": ["--matrix", f"{work}/a.npz", "--preconditioner", "none"],
                   "fmm": ["--input", f"{work}/particles.npy", "--height", "5", "--group-size", "64", "--repeat", "3"]}
        record = pathlib.Path(work, "run.json")
        for method, name in (("cg", f"7pts-{GRID}"), ("fmm", f"{PARTICLES} particles")):
            ways = {"program": [str(folder / f"asterism-{method}"), *options[method], "--cpus", args.cores, "--gpus", "0", "--quiet",
                                "--json", str(record)],
                    "cpp": [str(caller), method, work, args.cores],
                    "python": [args.python, "-c", CALLER, method, work, args.cores]}
            runs = {way: [] for way in ways}
            for _ in range(args.rounds):
                for way, command in ways.items():
                    out, peak = measured(command, environment)
                    if way == "program":
                        found = json.loads(record.read_text())
                        header = header or {key: found[key] for key in ("version", "machine", "starpu")}
                        found = {"seconds": found["seconds"], "iterations": found.get("iterations")}
                    else:
                        found = json.loads(out)
                        found["seconds"] = later(found["seconds"])
                    runs[way].append({**found, "peak_bytes": peak})
            case = {"method": method, "case": name, "array_bytes": sizes[method], "runs": runs}
            for way in ("cpp", "python"):
                ratios = [own["seconds"] / program["seconds"] for own, program in zip(runs[way], runs["program"])]
                case[f"{way}_ratio"] = statistics.median(ratios)
            cases.append(case)
            print(name, {way: statistics.median(run["seconds"] for run in several) for way, several in runs.items()},
                  case["cpp_ratio"], case["python_ratio"], flush=True)
    bench_runs.write(args.out, {"program": "bench_library", **header, "commit": bench_runs.commit(),
                                "command": f"tests/benchmarks/bench_library.py --rounds {args.rounds} --cores {args.cores}", "rounds": args.rounds, "cases": cases})


if __name__ == "__main__":
    main()
