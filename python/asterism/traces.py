# SPDX-License-Identifier: Apache-2.0
"""Recordings of StarPU programs as tables, their bounds, and schedulers compared: what asterism-trace, asterism-bounds and
asterism-compare say, in Python.

    recording = asterism.traces.record(["./my-program"], "run")    # or asterism.traces.read("run")
    recording.tasks.groupby("codelet").duration.describe()         # a pandas table
    recording.bounds()["best"]                                     # seconds that no schedule can beat
    recording                                                      # in a notebook: the Gantt chart

The programs are looked for in the installation, or the build, that this package is in, then on PATH. Tables need pandas.
"""
from __future__ import annotations

import html
import json
import os
import pathlib
import sqlite3
import subprocess
import tempfile
from typing import TYPE_CHECKING, Any, Dict, Mapping, Optional, Sequence, Union

from asterism._asterism import BadInput, Failed
from asterism.programs import execute

if TYPE_CHECKING:
    import pandas

Place = Union[str, "os.PathLike[str]"]
__all__ = ["Comparison", "Recording", "compare", "read", "record"]

_JOINED = {
    "tasks": "SELECT t.id, c.name AS codelet, u.name AS unit, k.name AS kind, t.rank, t.submitted, t.start, t.end, "
             "t.end - t.start AS duration, t.flops, t.priority, t.iteration, t.footprint, t.parameters FROM tasks t "
             "LEFT JOIN codelets c ON c.id = t.codelet LEFT JOIN units u ON u.id = t.unit LEFT JOIN kinds k ON k.id = u.kind",
    "units": "SELECT u.id, u.name, k.name AS kind, u.rank, m.name AS memory FROM units u "
             "LEFT JOIN kinds k ON k.id = u.kind LEFT JOIN memories m ON m.id = u.memory",
    "transfers": "SELECT t.id, a.name AS source, b.name AS destination, t.start, t.end, t.bytes, t.data, t.type "
                 "FROM transfers t LEFT JOIN memories a ON a.id = t.source LEFT JOIN memories b ON b.id = t.destination",
    "states": "SELECT u.name AS unit, s.state, s.start, s.end, s.task FROM states s LEFT JOIN units u ON u.id = s.unit",
}


def _pandas() -> Any:
    try:
        import pandas
    except ImportError:
        raise Failed("tables need pandas (Debian: python3-pandas)") from None
    return pandas


class _Page:
    """Something with a page of charts, which a notebook shows."""

    def page(self) -> str:
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{html.escape(self.page())}" style="width: 100%; height: 40em; border: 0"></iframe>'


class Recording(_Page):
    """What a StarPU program did and when. Times are in seconds, sizes in bytes; a row per task, unit, ...

    tasks: codelet, unit, kind of unit, submitted, start, end, duration, flops, priority, footprint, parameters.
    units; data; transfers: source, destination, start, end, bytes; states: what each unit did between which times;
    dependencies: task, after; accesses: task, data, mode; messages between ranks.
    """

    def __init__(self, paths: Sequence[str], window: str) -> None:
        self._arguments = [*paths, "--window", window]
        with tempfile.TemporaryDirectory() as folder:
            metrics, tables = os.path.join(folder, "metrics.json"), os.path.join(folder, "tables.db")
            execute("asterism-trace", *self._arguments, "--json", metrics, "--sqlite", tables)
            self.metrics: Dict[str, Any] = json.loads(pathlib.Path(metrics).read_text(encoding="utf-8"))
            self._tables = sqlite3.connect(":memory:")
            file = sqlite3.connect(tables)
            file.backup(self._tables)
            file.close()

    def __repr__(self) -> str:
        return (f"<recording {self.metrics['name']}: {self.metrics['tasks']} tasks on {len(self.metrics['units'])} units, "
                f"{self.makespan:.6g} s>")

    @property
    def makespan(self) -> float:
        """From the first task's start to the last one's end, in seconds."""
        return float(self.metrics["makespan"])

    def sql(self, question: str) -> "pandas.DataFrame":
        """The answer to a question in SQL; docs/traces.md has the tables. Raises BadInput when SQLite refuses it."""
        pandas = _pandas()
        try:
            return pandas.read_sql_query(question, self._tables)
        except (sqlite3.Error, pandas.errors.DatabaseError) as error:
            raise BadInput(f"sql: {error}") from None

    def __getattr__(self, name: str) -> "pandas.DataFrame":
        if name in ("data", "dependencies", "accesses", "messages"):
            return self.sql(f"SELECT * FROM {name}")
        if name in _JOINED:
            return self.sql(_JOINED[name])
        raise AttributeError(f"a recording has no {name}")

    def bounds(self, units: Optional[Mapping[str, int]] = None) -> Dict[str, float]:
        """Seconds below which no schedule of these tasks ends: lp, lp_fit, critical_path, windows, best, ...

        units: of the machine that the bounds are for, as {"CPU": 12, "CUDA": 3}; default: the recording's.
        """
        machine = [] if units is None else ["--units", ",".join(f"{kind}={number}" for kind, number in units.items())]
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "bounds.json")
            execute("asterism-bounds", *self._arguments, *machine, "--json", file)
            bounds = json.loads(pathlib.Path(file).read_text(encoding="utf-8"))["bounds"]
        return {name: bound["seconds"] for name, bound in bounds.items() if isinstance(bound, dict) and "seconds" in bound}

    def page(self) -> str:
        """The page of asterism-trace --html: Gantt chart, curves, tables; one text that works without a network."""
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "trace.html")
            execute("asterism-trace", *self._arguments, "--html", file)
            return pathlib.Path(file).read_text(encoding="utf-8")


def read(*paths: Place, window: str = "auto") -> Recording:
    """Reads a recording: a folder with FxT files or with tasks.rec, or the FxT files, one per MPI rank.

    window: as asterism-trace --window. Raises BadInput for what is not a recording.
    """
    return Recording([os.fspath(path) for path in paths], window)


def record(command: Sequence[str], folder: Place, scheduler: str = "") -> Recording:
    """Runs a StarPU program, recorded with FxT into the folder, and reads the recording.

    scheduler: as STARPU_SCHED. Raises Failed when the program fails, or records nothing (StarPU without FxT).
    """
    place = os.path.join(os.fspath(folder), "")
    os.makedirs(place, exist_ok=True)

    def written() -> Dict[str, int]:
        return {entry.path: entry.stat().st_mtime_ns for entry in os.scandir(place) if entry.name.startswith("prof_file")}

    before = written()
    environment = {**os.environ, "STARPU_FXT_TRACE": "1", "STARPU_FXT_PREFIX": place}
    if scheduler:
        environment["STARPU_SCHED"] = scheduler
    try:
        status = subprocess.run(list(command), env=environment, check=False).returncode
    except OSError as error:
        raise BadInput(f"{command[0]}: {error.strerror}") from None
    if status != 0:
        raise Failed(f"{command[0]}: status {status}")
    files = sorted(path for path, time in written().items() if before.get(path) != time)
    if not files:
        raise Failed(f"{command[0]}: recorded nothing: is it a StarPU program, of a StarPU with FxT?")
    return read(*files)


class Comparison(_Page):
    """Schedulers beside each other and beside the bounds. table: a row per run, the columns of asterism-compare's CSV."""

    def __init__(self, folder: str) -> None:
        self.table: "pandas.DataFrame" = _pandas().read_csv(os.path.join(folder, "compare.csv"))
        self._page = pathlib.Path(folder, "compare.html").read_text(encoding="utf-8")

    def page(self) -> str:
        """The page of asterism-compare: the Gantt chart of every scheduler's run beside the bounds."""
        return self._page


def compare(command: Sequence[str], schedulers: Sequence[str], simulate: str = "", repeat: Optional[int] = None) -> Comparison:
    """Runs a StarPU program, or asterism-replay, under each scheduler, as asterism-compare does.

    simulate: the simulated machine on which one of Asterism's programs runs; repeat: measured runs of each on this one.
    """
    with tempfile.TemporaryDirectory() as folder:
        arguments = ["--schedulers", ",".join(schedulers), "--work", folder]
        if simulate:
            arguments += ["--simulate", simulate]
        if repeat is not None:
            arguments += ["--repeat", str(repeat)]
        execute("asterism-compare", *arguments, "--", *command)
        return Comparison(folder)
