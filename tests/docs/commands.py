#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of a page: all `console` blocks without a reason (`console gpu`, `console slurm`, `console other`;
`console tested`: a test of a program runs the same, and looks at the numbers).

tests/docs/commands.py PAGE PROGRAMS

In one folder that has data/, examples/ and experiments/ of the repository, in the order of the page, with the folder
PROGRAMS in PATH. A command must end with status 0, and print every line that the page shows as its output, whatever the numbers in it are.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

root = pathlib.Path(__file__).resolve().parent.parent.parent
LIMIT = 300  # seconds of one command


def commands(text):
    """Pairs of a command and the lines of output shown below it."""
    found = []
    for block in re.findall(r"^```console\n(.*?)^```", text, re.S | re.M):
        continued = False
        for line in block.splitlines():
            if continued:
                found[-1][0] += "\n" + line
            elif line.startswith("$ "):
                found.append([line[2:], []])
            elif line.strip():
                if not found:
                    raise SystemExit(f"output without a command: {line}")
                found[-1][1].append(line)
            continued = (continued or line.startswith("$ ")) and line.endswith("\\")
    return found


def untested(text):
    """Scenes of `console tested` blocks that no test of a program reads."""
    tests = "".join(path.read_text() for path in (root / "tests/apps").rglob("*.cpp"))
    blocks = re.findall(r"^```console tested\n(.*?)^```", text, re.S | re.M)
    scenes = [re.findall(r"examples/\w+/(\w+)\.toml", block) or [block] for block in blocks]
    return [scene for of_block in scenes for scene in of_block if f'example("{scene}")' not in tests]


def shape(line):
    """The line without what differs from run to run: numbers, the prefixes of their units, widths of columns."""
    line = re.sub(r"[-+]?\d[\d,]*(\.\d+)?([eE][-+]?\d+)?", "#", line)
    line = re.sub(r"# ?[numkMGT]?(s|B|flop/s|Gflop/s|B/s)\b", r"# \1", line)
    line = line.replace("(default)", "")
    return " ".join(line.split())


def run(command, folder, environment):
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, text=True, timeout=LIMIT,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout


def main():
    page, programs = pathlib.Path(sys.argv[1]), sys.argv[2]
    environment = {**os.environ, "PATH": programs + os.pathsep + os.environ["PATH"], "STARPU_SILENT": "1",
                   "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "OMPI_MCA_mpi_yield_when_idle": "1",
                   "ASTERISM_RATES": os.environ.get("ASTERISM_RATES", "rates.json")}
    all_of_page = commands(page.read_text())
    not_tested = untested(page.read_text())
    for scene in not_tested:
        print("commands: no test of a program reads", scene)
    wrong = len(not_tested)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("data", "examples", "experiments"):
            os.symlink(root / name, pathlib.Path(folder) / name)
        for command, shown in all_of_page:
            print("$", command, flush=True)
            begin = time.monotonic()
            status, printed = run(command, folder, environment)
            if time.monotonic() - begin > 5:
                print(f"commands: {time.monotonic() - begin:.0f} s", flush=True)
            shapes = {shape(line) for line in printed.splitlines()}
            missing = [line for line in shown if shape(line) not in shapes]
            for line in missing:
                print("commands: the page shows what was not printed:", line)
            if status:
                print("commands: status", status)
            if status or missing:
                wrong += 1
                print(printed)
    print(f"{len(all_of_page)} commands, {wrong} of them wrong")
    sys.exit(1 if wrong else 0)


main()
