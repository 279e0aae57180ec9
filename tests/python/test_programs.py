# SPDX-License-Identifier: Apache-2.0
"""Programs run from Python: records, recordings and simulated machines of all methods, errors in one line, Ctrl-C."""
import os
import pathlib
import signal
import threading
import time

import pytest

import asterism
from refusal import refused

BUILD = pathlib.Path(asterism.__file__).resolve().parents[2]
SMALL = {
    "cg": ["--stencil", "7pts-24", "--iterations", 5, "--blocks", 4],
    "fdtd": ["--size", "48x40x44", "--steps", 16],
    "fmm": ["--particles", 20000, "--accuracy", 3],
    "lbm": ["--size", "48x32x32", "--subdomains", "2x1x1", "--steps", 5],
    "tdbem": ["--body", "sphere", "--unknowns", 162, "--steps", 16],
}
simulated = pytest.mark.skipif(not (BUILD / "libexec" / "asterism" / "simulated" / "asterism-cg").exists(),
                               reason="the programs for simulated machines are not built")


@pytest.mark.parametrize("method", asterism.programs.METHODS)
def test_records_and_recordings(method, tmp_path):
    pytest.importorskip("pandas")
    run = asterism.programs.run(f"asterism-{method}", *SMALL[method], "--cpus", 2, "--gpus", 0, trace=tmp_path / "recorded")
    assert run.summary["program"] == f"asterism-{method}" and run.seconds > 0 and "\n" in run.output
    assert any(name.startswith(f"{method}_") for name in run.recording.tasks.codelet.dropna())
    assert set(run.recording.units.kind) == {"CPU"} and run.recording.makespan < run.seconds


@simulated
@pytest.mark.parametrize("method", asterism.programs.METHODS)
def test_simulated_machines(method, tmp_path):
    pytest.importorskip("pandas")
    run = asterism.programs.run(method, *SMALL[method], simulate="h200x4", trace=tmp_path / "recorded")
    assert "CUDA" in set(run.recording.units.kind) and run.recording.makespan > 0
    assert run.summary["program"] == f"asterism-{method}"


def test_an_open_session_is_not_inherited():
    import scipy.sparse
    with asterism.Session(cpus=1, gpus=0, scheduler="eager") as session:
        asterism.cg.Solver(session, scipy.sparse.eye(3, format="csr"))
        run = asterism.programs.run("cg", *SMALL["cg"], "--gpus", 0, "--cpus", 2)
    assert run.summary["starpu"]["cpu_workers"] == 2 and run.summary["starpu"]["scheduler"] != "eager"


def test_misuse(tmp_path):
    refused(lambda: asterism.programs.run("weather"), "program 'weather'", "tdbem")
    refused(lambda: asterism.programs.run("cg", "--stencil", "7pts-0"), "--stencil")
    refused(lambda: asterism.programs.run("cg", "--matrix", tmp_path / "none.mtx"), "none.mtx")
    refused(lambda: asterism.programs.run("cg", *SMALL["cg"], simulate="no-machine"), "--simulate", "no-machine")
    refused(lambda: asterism.programs.run("cg", "--stencil", "7pts-24", "--max-iterations", 2, "--gpus", 0),
            kind=asterism.Failed)
    refused(lambda: asterism.programs.find("asterism-weather"), "asterism-weather", "PATH", kind=asterism.Failed)
    run = asterism.programs.run("cg", "--version")
    assert run.output.startswith("asterism-cg") and run.summary == {} and repr(run).startswith("<asterism-cg --version: ")
    refused(lambda: run.recording, "recording", "trace")


def test_ctrl_c_ends_the_program(tmp_path):
    timer = threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    begin = time.monotonic()
    marker = str(tmp_path / "x.mtx")
    with pytest.raises(KeyboardInterrupt):
        asterism.programs.run("cg", "--stencil", "7pts-24", "--iterations", 10**8, "--gpus", 0, "--solution", marker)
    assert time.monotonic() - begin < 10
    running = [path.read_bytes() for path in pathlib.Path("/proc").glob("[0-9]*/cmdline")]
    assert not any(marker.encode() in command for command in running)
