#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Evaluates one to four vectors of charges together with the Python package, interleaved: seconds of the evaluations,
without and with copies of charges and results.

tests/benchmarks/bench_charges.py [--build build/ci] [--particles 200000] [--accuracy 5] [--cpus 2] [--rounds 7] --out FILE
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


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--build", default="build/ci")
    parser.add_argument("--particles", type=int, default=200000)
    parser.add_argument("--accuracy", type=int, default=5)
    parser.add_argument("--cpus", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--out", required=True)
    args = parser.parse_args()
    about = bench_runs.run(bench_runs.programs(args.build), ["asterism-fmm", "--particles", "20000", "--gpus", "0",
                                                             "--cpus", str(args.cpus)])
    sys.path.insert(0, str(pathlib.Path(args.build).resolve() / "python"))
    import asterism
    generator = numpy.random.default_rng(1)
    charges = generator.choice([-0.5, 0.5], (4, args.particles))
    seconds, wall, processor = ({k: [] for k in range(1, 5)} for _ in range(3))
    with asterism.Session(cpus=args.cpus, gpus=0) as session:
        evaluator = asterism.fmm.Evaluator(session, generator.random((3, args.particles)), accuracy=args.accuracy)
        height = evaluator.height
        alone = evaluator.evaluate(charges[3])
        together = evaluator.evaluate(charges)
        if not (alone.potential == together.potential[3]).all() or not (alone.field == together.field[3]).all():
            bench_runs.stop("a vector of charges has other bits than alone")
        for _ in range(args.rounds):
            for k in seconds:
                some = -charges[:k] if len(seconds[k]) % 2 == 0 else charges[:k]  # never those of the evaluation before
                begin, cpu_begin = time.perf_counter(), time.process_time()
                found = evaluator.evaluate(some)
                wall[k].append(time.perf_counter() - begin)
                processor[k].append(time.process_time() - cpu_begin)
                seconds[k].append(float(found.seconds.sum()))
    median = {k: statistics.median(seconds[k]) for k in seconds}
    wall_median = {k: statistics.median(wall[k]) for k in wall}
    processor_median = {k: statistics.median(processor[k]) for k in processor}
    bench_runs.write(args.out, {
        "program": "bench-charges", "version": about["version"], "commit": bench_runs.commit(), "machine": about["machine"],
        "starpu": about["starpu"], "date": about["date"],
        "command": f"tests/benchmarks/bench_charges.py --particles {args.particles} --accuracy {args.accuracy} --cpus {args.cpus} "
                   f"--rounds {args.rounds}",
        "particles": args.particles, "accuracy": args.accuracy, "cpus": args.cpus, "height": height,
        "rounds": args.rounds,
        "vectors": [{"vectors": k, "seconds": seconds[k], "median_seconds": median[k], "ratio": median[k] / median[1],
                     "wall_seconds": wall[k], "median_wall_seconds": wall_median[k],
                     "wall_ratio": wall_median[k] / wall_median[1], "processor_seconds": processor[k],
                     "processor_ratio": processor_median[k] / processor_median[1]} for k in seconds]})
    for k in seconds:
        print(f"{k}: {median[k]:.4f} s, {median[k] / median[1]:.2f} times one; "
              f"{wall_median[k]:.4f} s with copies, {wall_median[k] / wall_median[1]:.2f}; "
              f"{processor_median[k]:.4f} s of all cores, {processor_median[k] / processor_median[1]:.2f}")


if __name__ == "__main__":
    main()
