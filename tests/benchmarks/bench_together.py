#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Vectors of charges, or right-hand sides, alone and together with the Python package, interleaved: seconds of the
evaluations or solves, and of the calls with their copies. Trees of particles are the default one, for one vector of
charges, and one for four; solves are 100 iterations on a grid where each point has 26 neighbours, of N^3 points with
an unknown each, and of (N/2)^3 with three.

tests/benchmarks/bench_together.py fmm|cg [--build build/ci] [--size N] [--cpus 2] [--rounds 9] --out FILE
"""
import argparse
import pathlib
import statistics
import sys
import time

import numpy

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import bench_runs  # noqa: E402

ACCURACY, ITERATIONS = 5, 100
SIZES = {"fmm": 200_000, "cg": 96}


def charges(asterism, session, size):
    """A function for each case, which takes the sign of its values and returns seconds."""
    generator = numpy.random.default_rng(1)
    points, values = generator.random((3, size)), generator.choice([-0.5, 0.5], (4, size))
    evaluators = {tree: asterism.fmm.Evaluator(session, points, accuracy=ACCURACY, vectors=tree) for tree in (1, 4)}
    for evaluator in evaluators.values():
        together, alone = evaluator.evaluate(values), evaluator.evaluate(values[2])
        if (alone.potential != together.potential[2]).any() or (alone.field != together.field[2]).any():
            bench_runs.stop("a vector of charges has other bits than alone")

    def case(evaluator, vectors):
        return lambda sign: float(evaluator.evaluate(sign * values[:vectors]).seconds.sum())

    return {(("tree_for", tree), ("vectors", vectors)): case(evaluator, vectors)
            for tree, evaluator in evaluators.items() for vectors in (1, 2, 3, 4)}


def right_hand_sides(asterism, session, size):
    """As charges()."""
    import scipy.sparse as sparse
    def solver_of(unknowns):
        points = size if unknowns == 1 else size // 2
        line = sparse.diags([1.0, 1.0, 1.0], [-1, 0, 1], shape=(points, points))
        grid = sparse.kron(sparse.kron(line, line), line)
        coupled = sparse.kron(grid, numpy.ones((unknowns, unknowns)))
        matrix = (27 * unknowns * sparse.identity(unknowns * points**3) - coupled).tocsr()
        values = numpy.random.default_rng(1).random((8, matrix.shape[0]))
        return values, asterism.cg.Solver(session, matrix, preconditioner="none", tolerance=0, max_iterations=ITERATIONS)

    def case(values, solver, vectors):
        def solve(sign):
            solver.solve(sign * values[:vectors])
            return max(result.seconds for result in solver.results)
        return solve

    calls = {}
    for unknowns in (1, 3):
        values, solver = solver_of(unknowns)
        if (solver.solve(values)[2] != solver.solve(values[2])).any():
            bench_runs.stop("a right-hand side has other bits than alone")
        for vectors in (1, 2, 4, 8):
            calls[(("unknowns", unknowns), ("vectors", vectors))] = case(values, solver, vectors)
    return calls


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("method", choices=SIZES)
    parser.add_argument("--build", default="build/ci")
    parser.add_argument("--size", type=int, help="points, or N (default: %s)" % SIZES)
    parser.add_argument("--cpus", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--out", required=True)
    args = parser.parse_args()
    size = args.size or SIZES[args.method]
    about = bench_runs.run(bench_runs.programs(args.build), ["asterism-fmm", "--particles", "20000", "--gpus", "0",
                                                             "--cpus", str(args.cpus)])
    sys.path.insert(0, str(pathlib.Path(args.build).resolve() / "python"))
    import asterism
    with asterism.Session(cpus=args.cpus, gpus=0) as session:
        calls = (charges if args.method == "fmm" else right_hand_sides)(asterism, session, size)
        times = {case: {"seconds": [], "wall_seconds": [], "processor_seconds": []} for case in calls}
        for turn in range(args.rounds):
            for case, taken in times.items():
                wall, processor = time.perf_counter(), time.process_time()
                taken["seconds"].append(calls[case]((-1) ** turn))  # never the values of the call before
                taken["wall_seconds"].append(time.perf_counter() - wall)
                taken["processor_seconds"].append(time.process_time() - processor)
    cases = []
    for case, taken in times.items():
        median = {key: statistics.median(several) for key, several in taken.items()}
        if case[1][1] == 1 and (args.method == "cg" or not cases):
            one = median
        ratio = {key: median[key] / one[key] for key in median}
        cases.append({**dict(case), "median": median, "ratio": ratio, **taken})
        print(f"{dict(case)}: {median['seconds']:.4f} s, {ratio['seconds']:.2f} times one alone; "
              f"{ratio['wall_seconds']:.2f} with copies, {ratio['processor_seconds']:.2f} of the cores' time")
    bench_runs.write(args.out, {
        "program": "bench_together", "version": about["version"], "commit": bench_runs.commit(), "machine": about["machine"],
        "starpu": about["starpu"], "date": about["date"],
        "command": f"tests/benchmarks/bench_together.py {args.method} --size {size} --cpus {args.cpus} --rounds {args.rounds}",
        "method": args.method, "size": size, "cpus": args.cpus, "rounds": args.rounds, "cases": cases})


if __name__ == "__main__":
    main()
