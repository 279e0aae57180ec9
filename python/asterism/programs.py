# SPDX-License-Identifier: Apache-2.0
"""The programs asterism-cg, -fdtd, -fmm, -lbm and -tdbem from Python: what they have beyond the library, simulated machines
and recordings above all.

    run = asterism.programs.run("cg", "--stencil", "7pts-64", "--iterations", 20, simulate="h200x4", trace="recorded")
    run.summary["seconds"]                                         # the record that --json writes
    run.recording                                                  # in a notebook: the Gantt chart

The programs are looked for in the installation, or the build, that this package is in, then on PATH.
"""
from __future__ import annotations

import json
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Dict, List, Tuple, Union

from asterism._asterism import BadInput, Failed

if TYPE_CHECKING:
    from asterism.traces import Recording

METHODS = ("cg", "fdtd", "fmm", "lbm", "tdbem")
GRACE = 5  #: seconds between SIGTERM and SIGKILL
__all__ = ["METHODS", "Run", "run"]


def find(name: str) -> str:
    """Where a program is; raises Failed."""
    beside = [folder / "bin" / name for folder in pathlib.Path(__file__).resolve().parents]
    program = next((str(path) for path in beside if path.is_file()), None) or shutil.which(name)
    if program is None:
        raise Failed(f"{name}: neither beside the package asterism nor on PATH")
    return program


def execute(name: str, *arguments: str) -> Tuple[str, str]:
    """Standard output and standard error of a program; raises BadInput (status 2) or Failed with its line.

    Ctrl-C, and any other exception, ends it with all processes that it has started. It does not see what an open session
    sets in the environment.
    """
    with subprocess.Popen([find(name), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, env=dict(os.environ), start_new_session=True) as child:
        try:
            output, messages = child.communicate()
        except BaseException:
            os.killpg(child.pid, signal.SIGTERM)
            try:
                child.wait(GRACE)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
            raise
    if child.returncode != 0:
        lines = [line for line in messages.splitlines() if line] or [f"{name}: status {child.returncode}"]
        line = next((line for line in lines if ": error: " in line), lines[-1])
        raise (BadInput if child.returncode == 2 else Failed)(line.replace(f"{name}: error: ", ""))
    return output, messages


@dataclass(repr=False)
class Run:
    """What a program did.

    command: with all arguments. summary: the record that --json writes, by its keys. seconds: from its start to its end.
    output: what it printed. messages: its warnings. trace: the folder of the recording; empty without one.
    """

    command: List[str]
    summary: Dict[str, Any]
    seconds: float
    output: str
    messages: str
    trace: str

    def __repr__(self) -> str:
        return f"<{shlex.join(self.command)}: {self.seconds:.3g} s>"

    @cached_property
    def recording(self) -> "Recording":
        """The tasks of the run, read by asterism.traces. Raises BadInput for a run without `trace`."""
        from asterism import traces
        if not self.trace:
            raise BadInput("recording: the run has none; expected trace=FOLDER")
        return traces.read(self.trace)


def run(program: str, *arguments: Any, simulate: str = "", trace: Union[str, "os.PathLike[str]"] = "") -> Run:
    """Runs a method's program in a process of its own, and waits for its end.

    program: cg, fdtd, fmm, lbm, tdbem, or with asterism- before. arguments: those of the command line, each a string, a
    path or a number; --json, --simulate and --trace are added here. simulate: a machine's name or file, on which the tasks
    then run: they compute nothing, and the times are the machine's. trace: a folder that gets the recording.
    Raises BadInput for what the program refuses (status 2), and Failed for a run that failed or whose result is wrong.
    """
    method = str(program).removeprefix("asterism-")
    if method not in METHODS:
        raise BadInput(f"program {program!r}: expected one of {', '.join(METHODS)}")
    name, folder = f"asterism-{method}", os.fspath(trace)
    given = [os.fspath(one) if isinstance(one, os.PathLike) else str(one) for one in arguments]
    given += (["--simulate", str(simulate)] if simulate else []) + (["--trace", folder] if folder else [])
    with tempfile.TemporaryDirectory() as work:
        record = pathlib.Path(work, "run.json")
        begin = time.monotonic()
        output, messages = execute(name, *given, "--json", str(record))
        seconds = time.monotonic() - begin
        # --help and --version write none
        summary = json.loads(record.read_text(encoding="utf-8")) if record.exists() else {}
    return Run([name, *given], summary, seconds, output, messages, folder)
