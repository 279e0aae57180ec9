#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Example 8: records a StarPU program and asks what its tasks did, and how short any schedule of them could be.

    bounds.py PROGRAM [ARGUMENTS...]    for instance build/examples/axpy, of example 1
"""
import sys
import tempfile

import asterism.traces


def main():
    if len(sys.argv) < 2:
        sys.exit("bounds.py: expected a program")
    with tempfile.TemporaryDirectory() as folder:
        recording = asterism.traces.record(sys.argv[1:], folder)
        print(recording.tasks.groupby(["codelet", "kind"]).duration.describe().to_string())
        print(f"makespan                   {recording.makespan * 1e3:.3f} ms")
        for name, seconds in recording.bounds().items():
            print(f"no schedule beats {name:13} {seconds * 1e3:8.3f} ms")
        twice = {kind: 2 * number for kind, number in recording.units.kind.value_counts().items()}
        print(f"with twice the units       {recording.bounds(twice)['best'] * 1e3:8.3f} ms")


main()
