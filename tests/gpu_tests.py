#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the tests that use a GPU on a machine that has one, and writes a record of them; with --sanitize
also the tests of CUDA kernels and a flow of each method under the tools of compute-sanitizer. Each has cores and GPUs of
its own; processes that take turns on one GPU are much slower together than one after the other.

    run-gpu-tests --out gpu-tests.json               # in a bundle of scripts/bundle
    run-gpu-tests --gpus 1 --out gpu-tests.json      # each with one GPU: on a machine with four, four at a time
    run-gpu-tests --sanitize memcheck,racecheck --out sanitize.json
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import queue
import re
import subprocess
import sys
import tempfile
import time
import typing

HERE = pathlib.Path(__file__).resolve().parent
UNITS = queue.Queue()  # sets of cores and of GPUs that no process has
KERNELS = ["cg_kernels_cuda", "fmm_p2p_cuda", "fmm_far_field_cuda", "lbm_kernels_cuda", "fdtd_kernels_cuda", "tdbem_kernels_cuda"]
SCHEDULERS = {"cg_flow": ["cyclic", "lws", "dmdas"], "fmm_flow": ["hprio", "lws", "dmdas"], "lbm_flow": ["lws", "dmdas"],
              "fdtd_flow": ["lws", "dmdas"], "fdtd_farm": ["lws", "dmdas"], "tdbem_flow": ["lws", "dmdas"]}
OTHERS = ["api_session", "api_cg", "api_fmm", "api_lbm", "api_fdtd", "api_tdbem", "fmm_apart", "fmm_periodic", "fmm_motion", "cg_structure",
          "runtime_memory", "decay", "heat"]
PROGRAMS = {  # right by its own reference
    "cg": "asterism-cg --stencil 7pts-40 --verify",
    "cg whole iterations": "asterism-cg --stencil 7pts-40 --cpus 0 --blocks {workers} --transfer packed --task graph --verify",
    "cg whole iterations, ranks": "run-ranks 2 asterism-cg --stencil 7pts-16 --iterations 12 --gpus 1 --cpus 1 --blocks 2 --task graph --verify",
    "cg ssor": "asterism-cg --stencil 7pts-40 --preconditioner ssor --cpus 0 --blocks 2 --verify",
    "cg amg": "asterism-cg --stencil 7pts-40 --preconditioner amg --cpus 0 --verify",
    "cg amg, blocks": "asterism-cg --stencil 7pts-40 --preconditioner amg --cpus 0 --blocks 3 --verify",
    "fmm": "asterism-fmm --particles 200000 --accuracy 5 --gpus {gpus} --verify",
    "fmm plummer": "asterism-fmm --particles 100000 --distribution plummer --accuracy 4 --cpus 0 --verify",
    "fmm targets": "asterism-fmm --particles 100000 --at grid:20x20x20 --cpus 0 --verify",
    "lbm": "asterism-lbm --size 48 --steps 60 --gpus {gpus} --verify",
    "lbm half": "asterism-lbm --size 48 --steps 60 --precision half --cpus 0 --verify",
    "fdtd": "asterism-fdtd --size 48 --steps 60 --gpus {gpus} --verify",
    "tdbem": "asterism-tdbem --unknowns 162 --steps 200 --gpus {gpus} --verify",
    "direct messages": "run-ranks 2 test_direct_messages",
    "fmm, ranks": "run-ranks 2 asterism-fmm --particles 100000 --cpus 1 --verify",
    "lbm, ranks": "run-ranks 2 asterism-lbm --size 48 --steps 20 --cpus 0 --subdomains 1x2x1 --verify",
    "fdtd, ranks": "run-ranks 2 asterism-fdtd --size 64 --steps 20 --cpus 0 --overlap 4 --strips 2 --verify",
    "tdbem, ranks": "run-ranks 2 asterism-tdbem --body ellipsoid --unknowns 642 --steps 100 --cpus 2 --sharing gpus --verify"}
FLOWS = {  # small, and no rates to measure: racecheck takes a thousand times as long
    "cg": "asterism-cg --stencil 7pts-16 --iterations 12 --cpus 0 --verify",
    "cg-blocks": "asterism-cg --stencil 7pts-16 --iterations 12 --blocks 3 --cpus 0 --verify",
    "cg-whole": "asterism-cg --stencil 7pts-16 --iterations 12 --blocks {workers} --transfer packed --task graph --cpus 0 --verify",
    "cg-ssor": "asterism-cg --stencil 7pts-16 --preconditioner ssor --cpus 0 --verify",
    "cg-amg": "asterism-cg --stencil 7pts-16 --preconditioner amg --cpus 0 --verify",
    "fmm": "asterism-fmm --particles 1000 --accuracy 3 --height 3 --group-size 16 --tree uniform --cpus 0 --verify",
    "fmm-adaptive": "asterism-fmm --particles 1000 --distribution plummer --accuracy 3 --tree adaptive --leaf-size 24 --height 5 --group-size 16 --cpus 0 --verify",
    "lbm": "asterism-lbm --size 12 --steps 3 --cpus 0 --verify",
    "fdtd": "asterism-fdtd --size 16 --steps 6 --cpus 0 --verify",
    "tdbem": "asterism-tdbem --unknowns 162 --steps 20 --cpus 4 --gpus 1 --verify"}


def visible_gpus():
    """Number and model of each GPU, of those that CUDA_VISIBLE_DEVICES leaves."""
    try:
        listed = subprocess.run(["nvidia-smi", "--query-gpu=index,name", "--format=csv,noheader"], capture_output=True, text=True, check=False)
        gpus = dict(line.split(", ", 1) for line in listed.stdout.splitlines())
        left = os.environ.get("CUDA_VISIBLE_DEVICES", ",".join(gpus)).split(",")
        return [(index, gpus[index]) for index in left if index in gpus] or [("", "no GPU")]
    except FileNotFoundError:
        return [("", "no GPU")]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default="gpu-tests.json", metavar="FILE", help="JSON record (default: %(default)s)")
    parser.add_argument("--gpus", type=int, default=len(GPUS), metavar="N", help="GPUs of each (default: all, one test at a time)")
    parser.add_argument("--only", default="", metavar="REGEX", help="tests in whose name this expression is found")
    parser.add_argument("--sanitize", default="", metavar="TOOLS", help="some of memcheck,synccheck,initcheck,racecheck")
    parser.add_argument("--shards", type=int, default=1, metavar="N", help="processes that a sanitized test is divided into")
    parser.add_argument("--limit", type=float, default=600, metavar="S", help="seconds of all together (default: %(default)s)")
    parser.add_argument("--each", type=float, default=600, metavar="S", help="seconds of one of them (default: %(default)s)")
    return parser.parse_args()


GPUS = visible_gpus()
ARGUMENTS = parse_arguments()
# block-rows that iterate together need two workers at least
TOGETHER = {"STARPU_NWORKER_PER_CUDA": "2"} if ARGUMENTS.gpus == 1 else {}


def with_workers(command):
    """A command, and what its environment needs for {workers}, CUDA workers of which there are two at least."""
    return command.format(workers=max(2, ARGUMENTS.gpus), gpus=ARGUMENTS.gpus).split(), TOGETHER if "{workers}" in command else {}


def environment(**more):
    env = dict(os.environ, STARPU_SILENT="1", STARPU_WORKERS_NOBIND="1", ASTERISM_DATA=os.environ.get("ASTERISM_DATA", str(HERE / "data")),
               ASTERISM_SCHEDULER_LIB=str(HERE / "lib/libasterism-schedulers.so"), **more)
    for method in ("cg", "fmm", "lbm", "fdtd", "tdbem"):
        env["ASTERISM_" + method.upper()] = str(HERE / f"bin/asterism-{method}")
    return env


class Limit(typing.NamedTuple):
    """When all have to be at their end, and the seconds that one may take."""
    end: float
    each: float

    def seconds(self):
        return max(1.0, min(self.end - time.monotonic(), self.each))


def execute(command, limit, **more):
    """Return status (None: not ended in time), text and seconds."""
    cores, gpus = UNITS.get()
    if ARGUMENTS.gpus < len(GPUS) or len(cores) < (os.cpu_count() or 1):
        more["STARPU_NCPU"] = str(max(1, len(cores) - ARGUMENTS.gpus))  # StarPU counts cores beyond taskset's, too
    begin = time.monotonic()
    try:
        launcher = ["taskset", "--cpu-list", ",".join(map(str, cores))]
        started = command if command[0] == "run-ranks" else ["run", *command]
        done = subprocess.run([*launcher, str(HERE / started[0]), *started[1:]], env=environment(CUDA_VISIBLE_DEVICES=gpus, **more), text=True, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=limit.seconds())
        return done.returncode, done.stdout + done.stderr, time.monotonic() - begin
    except subprocess.TimeoutExpired as late:
        out = late.stdout or b""
        return None, out.decode(errors="replace"), time.monotonic() - begin
    finally:
        UNITS.put((cores, gpus))


def run_tests(name, scheduler, limit):
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        more = {"ASTERISM_TEST_GPUS": str(ARGUMENTS.gpus), **TOGETHER} if name == "cg_flow" else {}
        if name == "tdbem_flow" and scheduler == "dmdas":  # solutions have a stream of their own beside products
            more["STARPU_NWORKER_PER_CUDA"] = "2"
        if scheduler:
            more["STARPU_SCHED"] = scheduler
        status, text, seconds = execute([f"test_{name}", f"--gtest_output=json:{report.name}"], limit, **more)
        try:
            found = json.loads(pathlib.Path(report.name).read_text())
        except ValueError:
            found = {"tests": 0, "failures": 1}
    skipped = sum(t.get("result") == "SKIPPED" for s in found.get("testsuites", []) for t in s["testsuite"])
    record = {"tests": found["tests"], "failures": found["failures"], "skipped": skipped, "seconds": round(seconds, 1)}
    if status is None:
        record["ended"] = "after its time"
    return record, status == 0, text


def run_program(command, limit):
    words, more = with_workers(command)
    status, text, seconds = execute(words, limit, **more)
    return {"command": " ".join(words), "status": status, "seconds": round(seconds, 1)}, status == 0, text


def sanitize(tool, command, limit, **more):
    launcher = ["compute-sanitizer", "--tool", tool, "--launch-timeout", "0", "--error-exitcode", "77"]
    if tool == "racecheck":
        more["ASTERISM_CLUSTERS"] = "off"  # it stands still in clusters of thread blocks
    found = [str(p) for p in (HERE / "bin" / command[0], HERE / "tests" / command[0]) if p.exists()]
    status, text, seconds = execute(launcher + found + command[1:], limit, ASTERISM_SANITIZED=tool, **more)
    errors = re.findall(r"(?:ERROR SUMMARY: (\d+) error|RACECHECK SUMMARY: (\d+) hazard)", text)
    tests = re.findall(r"\[==========\] (\d+) tests? from .* ran", text)
    record = {"errors": sum(int(a or b) for a, b in errors) if errors and status is not None else None,
              "seconds": round(seconds, 1), **({"tests": int(tests[0])} if tests else {})}
    if status is None:
        record["ended"] = "after its time"
    return record, status == 0, text


def has_tests(name):
    return (HERE / "tests" / f"test_{name}").exists()


def jobs_of(arguments, limit):
    """Key of the record, name, and what to call, in the order of their length."""
    if arguments.sanitize:
        for tool in reversed(arguments.sanitize.split(",")):
            for name in KERNELS:
                for shard in range(arguments.shards):
                    more = {"GTEST_TOTAL_SHARDS": str(arguments.shards), "GTEST_SHARD_INDEX": str(shard)}
                    yield tool, f"test_{name}", lambda t=tool, n=name, m=more: sanitize(t, [f"test_{n}"], limit, **m)
            for name, command in FLOWS.items():
                words, more = with_workers(command)
                yield tool, name, lambda t=tool, w=words, m=more: sanitize(t, w, limit, **m)
        return
    for name in filter(has_tests, KERNELS + OTHERS):
        yield "tests", name, lambda n=name: run_tests(n, "", limit)
    for name in filter(has_tests, SCHEDULERS):
        for scheduler in SCHEDULERS[name]:
            yield "tests", f"{name}.{scheduler}", lambda n=name, s=scheduler: run_tests(n, s, limit)
    for name, command in PROGRAMS.items():
        if not command.startswith("run-ranks") or (HERE / "run-ranks").exists():
            yield "programs", name, lambda c=command: run_program(c, limit)


def add(place, name, record):
    """Shards of one test are one entry."""
    old = place.get(name)
    if old and "tests" in old and "errors" in old:
        record = {"errors": None if None in (old["errors"], record["errors"]) else old["errors"] + record["errors"],
                  "seconds": round(old["seconds"] + record["seconds"], 1), "tests": old["tests"] + record.get("tests", 0),
                  **{k: v for k, v in (old | record).items() if k == "ended"}}
    place[name] = record


def main():
    arguments = ARGUMENTS
    places = max(1, len(GPUS) // arguments.gpus)
    at_a_time = places * (arguments.shards if arguments.sanitize else 1)  # a sanitizer leaves the GPU idle most of the time
    limit = Limit(time.monotonic() + arguments.limit, arguments.each)
    record = {"program": "compute-sanitizer" if arguments.sanitize else "run-gpu-tests", "date": time.strftime("%Y-%m-%dT%H:%M"),
              "machine": f"{'one' if len(GPUS) == 1 else len(GPUS)} {GPUS[0][1]}", "gpus": arguments.gpus, "commit": (HERE / "commit").read_text().strip()}
    results = record.setdefault("tools", {}) if arguments.sanitize else record
    failed = 0
    cores = sorted(os.sched_getaffinity(0))
    for job in range(at_a_time):
        UNITS.put((cores[job::at_a_time] or cores, ",".join(index for index, _ in GPUS[arguments.gpus * (job % places):][:arguments.gpus])))
    with concurrent.futures.ThreadPoolExecutor(at_a_time) as pool:
        jobs = {pool.submit(call): (key, name) for key, name, call in jobs_of(arguments, limit) if re.search(arguments.only, name)}
        for job in concurrent.futures.as_completed(jobs):
            key, name = jobs[job]
            result, right, text = job.result()
            add(results.setdefault(key, {}), name, result)
            failed += not right
            print(f"{'ok    ' if right else 'FAILED'} {key} {name} {json.dumps(result)}", flush=True)
            if not right:
                lines = [line for line in text.splitlines() if re.search(r"FAILED|Failure|error|ERROR|=====|Assert", line)]
                print("\n".join(lines[:12] + text.splitlines()[-6:]), flush=True)
            pathlib.Path(arguments.out).write_text(json.dumps(record, indent=1, sort_keys=True) + "\n")
    print(f"{len(jobs) - failed} passed, {failed} failed")
    sys.exit(failed != 0)


main()
