#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Evaluates vectors of charges alone and together with the Python package, interleaved: seconds of the evaluations, and of
the calls with their copies. Trees are the default one, for one vector of charges, and one for four.

tests/benchmarks/bench_charges.py [--build build/ci] [--particles 200000] [--accuracy 5] [--cpus 2] [--rounds 9] --out FILE
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

CASES = [(tree, vectors) for tree in (1, 4) for vectors in (1, 2, 3, 4)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--build", default="build/ci")
    parser.add_argument("--particles", type=int, default=200000)
    parser.add_argument("--accuracy", type=int, default=5)
    parser.add_argument("--cpus", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--out", required=True)
    args = parser.parse_args()
    about = bench_runs.run(bench_runs.programs(args.build), ["asterism-fmm", "--particles", "20000", "--gpus", "0",
                                                             "--cpus", str(args.cpus)])
    sys.path.insert(0, str(pathlib.Path(args.build).resolve() / "python"))
    import asterism
    generator = numpy.random.default_rng(1)
    points, charges = generator.random((3, args.particles)), generator.choice([-0.5, 0.5], (4, args.particles))
    times = {case: {"seconds": [], "wall_seconds": [], "processor_seconds": []} for case in CASES}
    with asterism.Session(cpus=args.cpus, gpus=0) as session:
        evaluators = {tree: asterism.fmm.Evaluator(session, points, accuracy=args.accuracy, vectors=tree) for tree in (1, 4)}
        found = {tree: evaluator.evaluate(charges) for tree, evaluator in evaluators.items()}
        for tree, evaluator in evaluators.items():
            alone = evaluator.evaluate(charges[2])
            if (alone.potential != found[tree].potential[2]).any() or (alone.field != found[tree].field[2]).any():
                bench_runs.stop("a vector of charges has other bits than alone")
        difference = [float(numpy.linalg.norm(getattr(found[1], name) - getattr(found[4], name)) /
                            numpy.linalg.norm(getattr(found[1], name))) for name in ("potential", "field")]
        for turn in range(args.rounds):
            for (tree, vectors), taken in times.items():
                some = charges[:vectors] * (-1) ** turn  # never those of the evaluation before
                wall, processor = time.perf_counter(), time.process_time()
                result = evaluators[tree].evaluate(some)
                taken["wall_seconds"].append(time.perf_counter() - wall)
                taken["processor_seconds"].append(time.process_time() - processor)
                taken["seconds"].append(float(result.seconds.sum()))
    one = {key: statistics.median(several) for key, several in times[CASES[0]].items()}
    cases = []
    for (tree, vectors), taken in times.items():
        median = {key: statistics.median(several) for key, several in taken.items()}
        ratio = {key: median[key] / one[key] for key in median}
        cases.append({"tree_for": tree, "vectors": vectors, "median": median, "ratio": ratio, **taken})
        print(f"tree for {tree}, {vectors} together: {median['seconds']:.4f} s, {ratio['seconds']:.2f} times one alone; "
              f"{ratio['wall_seconds']:.2f} with copies, {ratio['processor_seconds']:.2f} of the cores' time")
    bench_runs.write(args.out, {
        "program": "bench_charges", "version": about["version"], "commit": bench_runs.commit(), "machine": about["machine"],
        "starpu": about["starpu"], "date": about["date"],
        "command": f"tests/benchmarks/bench_charges.py --particles {args.particles} --accuracy {args.accuracy} "
                   f"--cpus {args.cpus} --rounds {args.rounds}",
        "particles": args.particles, "accuracy": args.accuracy, "cpus": args.cpus, "rounds": args.rounds,
        "potential_difference": difference[0], "field_difference": difference[1], "cases": cases})


if __name__ == "__main__":
    main()
