# SPDX-License-Identifier: Apache-2.0
"""Recordings as tables: against what the programs print, against each other, and misuse in one line."""
import pathlib
import sys

import pytest

import asterism
from refusal import refused

pytest.importorskip("pandas")
BUILD = pathlib.Path(asterism.__file__).resolve().parents[2]
RECORDINGS = pathlib.Path(__file__).resolve().parents[2] / "experiments" / "records" / "recordings"
CG = [str(BUILD / "bin" / "asterism-cg"), "--stencil", "7pts-16", "--iterations", "4", "--cpus", "2", "--gpus", "0", "--quiet"]


@pytest.fixture(scope="module")
def recording():
    return asterism.traces.read(RECORDINGS / "cg-11pts-128-h200x4-cyclic")


def test_tables_agree_with_each_other(recording):
    tasks = recording.tasks
    assert len(tasks[tasks.unit.notna()]) == recording.metrics["tasks"] == 416
    assert set(recording.units.kind) == {"CUDA"} and len(recording.units) == 4
    run = tasks[tasks.unit.notna()]
    assert run.end.max() - run.start.min() == pytest.approx(recording.makespan, rel=1e-9)
    for codelet in recording.metrics["codelets"]:
        durations = run[run.codelet == codelet["codelet"]].duration
        assert len(durations) == codelet["count"]
        assert durations.sum() == pytest.approx(codelet["total"], rel=1e-9)
    assert recording.transfers.bytes.sum() == recording.metrics["bytes_moved"]
    # nothing starts before what it waits for has ended
    ends = tasks.set_index("id").end
    starts = tasks.set_index("id").start
    both = recording.dependencies
    both = both[both.task.isin(run.id) & both.after.isin(run.id)]
    assert len(both) > 400
    assert (starts[both.task].to_numpy() >= ends[both.after].to_numpy()).all()
    assert len(recording.sql("SELECT * FROM accesses LIMIT 3")) == 3
    states = recording.states
    assert (states.end >= states.start).all() and set(states.unit) <= set(recording.units.name)


def test_bounds(recording):
    bounds = recording.bounds()
    assert bounds["lp"] <= bounds["best"] <= recording.makespan
    assert bounds["critical_path"] <= bounds["best"]
    more = recording.bounds({"CUDA": 8})
    assert more["lp"] == pytest.approx(bounds["lp"] / 2, rel=1e-6)
    assert more["critical_path"] == bounds["critical_path"]


def test_pages(recording):
    page = recording.page()
    assert page.startswith("<!") and "</html>" in page and "cg-11pts-128-h200x4-cyclic" in page
    assert "&lt;!" in recording._repr_html_() and "<html" not in recording._repr_html_()
    assert "416 tasks" in repr(recording)


def test_record_and_compare(tmp_path):
    recording = asterism.traces.record(CG, tmp_path / "run", scheduler="eager")
    names = set(recording.tasks.codelet)
    assert any(name.startswith("cg_") for name in names), names
    refused(lambda: asterism.traces.record([sys.executable, "-c", ""], tmp_path / "run"), "recorded nothing",
            kind=asterism.Failed)
    comparison = asterism.traces.compare(CG, ["lws", "eager"], repeat=2)
    assert sorted(set(comparison.table.scheduler)) == ["eager", "lws"]
    measured = comparison.table[comparison.table.phase == "measured"]
    assert (measured.status == "ok").all() and (measured.time_s > 0).all()
    assert "</html>" in comparison.page()


def test_misuse(recording, tmp_path):
    refused(lambda: asterism.traces.read(tmp_path / "nowhere"), "nowhere")
    refused(lambda: recording.sql("SELECT * FROM weather"), "no such table")
    refused(lambda: recording.bounds({"CUDA": -1}), "units")
    refused(lambda: asterism.traces.record([str(tmp_path / "none")], tmp_path), "none")
    refused(lambda: asterism.traces.record([sys.executable, "-c", "exit(3)"], tmp_path), "status 3", kind=asterism.Failed)
    with pytest.raises(AttributeError, match="no weather"):
        recording.weather
