# SPDX-License-Identifier: Apache-2.0
"""Schedulers, simulated machines, ranks. Tables by the name of their place in the text."""
import statistics

from tables.records import load


def schedules():
    """What asterism-trace says of the recordings in experiments/records/recordings."""
    rows = ["| recording (30 iterations of 11pts-128) | units | makespan | computing | waiting for data | scheduling, runtime | idle | LP bound | critical path |",
            "|---|---|---|---|---|---|---|---|---|"]
    for name, record in load("schedule-*.json"):
        kind = record["kinds"][-1]
        bounds = {b["name"]: b["of_makespan"] for b in record["bounds"]}
        rows.append(f"| {record['name']} | {', '.join(str(k['units']) + ' ' + k['name'] for k in record['kinds'])} | "
                    f"{record['makespan'] * 1e3:.1f} ms | {kind['computing']:.0%} | {kind['waiting for data']:.0%} | "
                    f"{kind['scheduling'] + kind['runtime']:.0%} | {kind['idle']:.0%} | {bounds['LP']:.0%} | {bounds['critical path']:.0%} |")
    return "\n".join(rows) if len(rows) > 2 else ""


def comparison():
    """What asterism-compare measured."""
    out = []
    for name, record in load("compare-*.json"):
        shown = record["schedulers"]
        units = ", ".join(f"{n} {k}" for k, n in shown[0]["recording"]["units"].items())
        out.append(f"`{record['command']}` on {units} (H200), {record['options']['repeat']} interleaved repetitions:\n")
        out.append("| scheduler | makespan, median [interval] | to the best | over LP | over critical path | idle CUDA | moved |")
        out.append("|---|---|---|---|---|---|---|")
        for s in shown:
            t, r = s["seconds"], s["recording"]
            ratio = "best" if s["scheduler"] == record["best"] else f"{s['to_best']['median']:.2f} [{s['to_best']['low']:.2f}, {s['to_best']['high']:.2f}]"
            out.append(f"| {s['scheduler']} | {t['median'] * 1e3:.1f} ms [{t['low'] * 1e3:.1f}, {t['high'] * 1e3:.1f}] | {ratio} | "
                       f"{s['makespan_over_lp']:.2f} | {s['makespan_over_critical_path']:.1f} | {r['kinds']['CUDA']['idle']:.0%} | {r['bytes'] / 1e9:.2f} GB |")
        out.append(f"\n[low, high] holds the median with {shown[0]['seconds']['confidence']:.1%} confidence.")
    return "\n".join(out)


def demo():
    """Schedulers on simulated machines, as scripts/demo compares them."""
    records = dict(load("demo-*.json"))
    if not records:
        return ""
    columns, rows = [], {}
    for name, record in records.items():
        columns.append(f"{'FMM' if 'fmm' in record['command'] else 'CG'}, {record['simulated']['platform']}")
        for s in record["schedulers"]:
            bound = s["seconds"]["median"] / min(s["makespan_over_lp_fit"], s["makespan_over_critical_path"])
            seconds = s["seconds"]["median"]
            time = f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1e3:.{0 if seconds >= 0.1 else 1}f} ms"
            rows.setdefault(s["scheduler"], {})[len(columns) - 1] = (
                f"{'**' if s['scheduler'] == record['best'] else ''}{time}{'**' if s['scheduler'] == record['best'] else ''}, {bound / seconds:.{0 if bound > 0.1 * seconds else 1}%}")
    out = [f"| makespan, share of the greatest bound | {' | '.join(columns)} |", "|---|" + "---|" * len(columns)]
    for scheduler, cells in sorted(rows.items(), key=lambda row: -len(row[1])):
        out.append(f"| {scheduler} | {' | '.join(cells.get(c, '') for c in range(len(columns)))} |")
    return "\n".join(out)


def first_steps():
    """How long the steps of scripts/demo take on a bare machine: what it writes as out/demo.json."""
    def clock(seconds):
        return f"{seconds // 60}:{seconds % 60:02d}"
    rows = []
    for _, record in load("first-steps*.json"):
        rows += [f"| `scripts/demo`, {record['machine']} | begins at |", "|---|---|"]
        rows += [f"| {step['what']} | {clock(step['begin_s'])} |" for step in record["steps"]]
        rows.append(f"| end | {clock(record['end_s'])} |")
    return "\n".join(rows)


def truth():
    """Simulated against measured, from scripts/bench-truth."""
    out = []
    for _, record in load("truth-*.json"):
        gpus = sorted({row["gpus"] for row in record["rows"]})
        name = {0: "no GPU", 1: "one GPU"}
        of = ", which was made from other runs" if record.get("held_out") else ""
        out.append(f"| `{record['platform']}`{of}: measured, simulated (difference) | {' | '.join(name.get(g, f'{g} GPUs') for g in gpus)} |")
        out.append("|---|" + "---|" * len(gpus))
        for flow in dict.fromkeys(row["name"] for row in record["rows"]):
            cells = []
            for g in gpus:
                found = [row for row in record["rows"] if row["name"] == flow and row["gpus"] == g]
                measured = statistics.median(found[0]["measured"]) if found else 0
                cells.append(f"{measured * 1e3:.4g} ms, {found[0]['simulated'] * 1e3:.4g} ms ({found[0]['simulated'] / measured - 1:+.1%})"
                             if found else "")
            out.append(f"| {flow} | {' | '.join(cells)} |")
        out.append("")
    return "\n".join(out).strip()


def ranks_beside_process():
    """Ranks on one machine against a process with as many units, from scripts/bench-ranks."""
    out = ["| per run: process, ranks (difference of medians) | command |", "|---|---|"]
    for _, record in load("ranks-*.json"):
        units = record["card"] if record["gpus"] else "cores"
        ranks = record.get("ranks", record["units"])
        number = f"{record['units']} {units}" + (f", {ranks} ranks" if ranks != record["units"] else "")
        for row in record["rows"]:
            process, ranks = (statistics.median(row[key]) for key in ("process", "ranks"))
            out.append(f"| {number}: {process:.3g} s, {ranks:.3g} s ({ranks / process - 1:+.1%}) | `{row['command']}` |")
    return "\n".join(out)


def scaling():
    """Solvers over simulated nodes."""
    out = ["| simulated | nodes | time | efficiency | most tasks that a rank looks at | most that a rank sends |", "|---|---|---|---|---|---|"]
    for _, record in load("scaling-*.json"):
        for k, row in enumerate(record["rows"]):
            name = f"`asterism-{record['solver']}`, `{record['platform']}`, {record['scaling']}" if k == 0 else ""
            looked = row["most_tasks_looked_at"]
            sent = "" if looked is None else f"{row['most_bytes_sent'] / 1e6:.3g} MB"
            out.append(f"| {name} | {row['nodes']} | {1e3 * row['seconds']:.3g} ms | {row['efficiency']:.0%} "
                       f"| {'' if looked is None else looked} | {sent} |")
    return "\n".join(out) if len(out) > 2 else ""


def schedulers():
    out = []
    for _, record in load("bench-scheduler-*.json"):
        out.append(f"| {record['workers']} CPU workers, {record['tasks']} empty tasks of {record['codelets']} codelets | pushed per second | popped per second |")
        out.append("|---|---|---|")
        for name, rates in sorted(record["schedulers"].items(), key=lambda s: -s[1]["popped_per_second"]["median"]):
            out.append(f"| {name} | {rates['pushed_per_second']['median']:,.0f} | {rates['popped_per_second']['median']:,.0f} |")
    return "\n".join(out)


def hprio_pool():
    """What hprio's buckets cost without StarPU (bench_hprio)."""
    out = []
    for _, record in load("hprio-pool.json"):
        machine = record["machine"]
        out.append(f"Nanoseconds of processor time per task, medians of {record['repeats']} repetitions of {record['tasks']:,} tasks of "
                   f"{record['codelets']} codelets, {machine['processor']}, {machine['cores']} cores:\n")
        out.append(f"| threads | push, version {record['before']} | since | pop, version {record['before']} | since |")
        out.append("|---|---|---|---|---|")
        for row in record["rows"]:
            cells = [f"{row[version][what]['median']:.0f}" for what in ("push_ns", "pop_ns") for version in ("before", "after")]
            out.append(f"| {row['threads']} | {' | '.join(cells)} |")
    return "\n".join(out)


def task_cost():
    """What a task costs (bench_task_cost), microseconds: median of the repetitions."""
    out = []
    for _, record in load("task-cost-*.json"):
        kinds = list(next(iter(record["schedulers"].values())))
        out.append(f"{record['machine']['processor']}, {record['machine']['cores']} cores, StarPU {record['starpu']}; microseconds, medians of "
                   f"{record['repeats']} interleaved repetitions of {record['tasks']} tasks:\n")
        out.append("| scheduler | " + " | ".join(f"{kind}: empty | chain | METG" for kind in kinds) + " |")
        out.append("|---|" + "---|---|---|" * len(kinds))
        for scheduler, by_kind in record["schedulers"].items():
            cells = [f"{by_kind[kind][what]['median']:.{1 if by_kind[kind][what]['median'] < 100 else 0}f}"
                     for kind in kinds for what in ("empty_us", "chain_us", "metg_us")]
            out.append(f"| {scheduler} | {' | '.join(cells)} |")
        out.append("")
    return "\n".join(out).rstrip()


def replays():
    """asterism-replay beside StarPU's starpu_replay, from scripts/schedules/compare-replay."""
    rows = ["| graph | scheduler | recorded | asterism-replay | starpu_replay | difference |", "|---|---|---|---|---|---|"]
    for _, record in load("replay-starpu.json"):
        for row in record["rows"]:
            recorded = f"{row['recorded']:.4f} s" if "recorded" in row else ""
            rows.append(f"| {row['graph']} | {row['scheduler']} | {recorded} | {row['seconds']:.4f} s | {row['starpu_replay']:.4f} s | "
                        f"{row['seconds'] / row['starpu_replay'] - 1:+.1%} |")
    return "\n".join(rows)


def replay_scale():
    """Large graphs, from scripts/schedules/replay-scale."""
    commands = ["| command | processor time | memory |", "|---|---|---|"]
    large = {}  # by graph and machine: a cell for each scheduler
    for _, record in load("replay-scale.json"):
        for row in record["rows"]:
            used = f"{row['cpu_seconds']:.0f} s", f"{row['memory_mb']:.0f} MB"
            _, _, graph, _, machine, _, scheduler, *_ = row["command"].split()
            if int(graph.split(":")[1]) >= 100000:
                large.setdefault((graph, machine), {})[scheduler] = ", ".join(used)
            else:
                commands.append(f"| `{row['command']}` | {used[0]} | {used[1]} |")
    schedulers = sorted({scheduler for cells in large.values() for scheduler in cells})
    return "\n".join([*commands, "", f"| `--generate` | `--simulate` | {' | '.join(f'`{s}`' for s in schedulers)} |", "|---" * (2 + len(schedulers)) + "|",
                      *(f"| `{graph}` | `{machine}` | {' | '.join(cells.get(s, '') for s in schedulers)} |" for (graph, machine), cells in large.items())])


TABLES = {
    "replays": replays,
    "replay-scale": replay_scale,
    "schedules": schedules,
    "task-cost": task_cost,
    "compare": comparison,
    "demo": demo,
    "first-steps": first_steps,
    "truth": truth,
    "ranks": ranks_beside_process,
    "schedulers": schedulers,
    "hprio-pool": hprio_pool,
    "scaling": scaling,
}
