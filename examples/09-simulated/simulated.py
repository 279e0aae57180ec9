#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Example 9: the task flow of a StarPU program on a machine that is not there. The program is recorded here; then its tasks
run on a simulated machine under several schedulers, without the program, beside the bounds.

    simulated.py MACHINE PROGRAM [ARGUMENTS...]    for instance h200x4 build/examples/axpy, of example 1

A task that the machine's file does not name takes its operations (STARPU_FLOPS) over the machine's rates, which is a guess.
Writes MACHINE.html: the Gantt chart of every scheduler's run.
"""
import pathlib
import sys
import tempfile

import asterism.traces


def main():
    if len(sys.argv) < 3:
        sys.exit("simulated.py: expected a machine and a program")
    machine, program = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryDirectory() as folder:
        asterism.traces.record(program, folder)
        comparison = asterism.traces.compare(["asterism-replay", folder, "--order", "platform,rates", "--quiet"],
                                             ["lws", "dmdas", "hprio"], simulate=machine)
    table = comparison.table[["scheduler", "time_s", "windows_s", "makespan_over_windows", "idle_CPU", "idle_CUDA", "bytes"]]
    print(table.sort_values("time_s").to_string(index=False))
    page = pathlib.Path(f"{pathlib.Path(machine).stem}.html")
    page.write_text(comparison.page(), encoding="utf-8")
    print(f"wrote {page}")


main()
