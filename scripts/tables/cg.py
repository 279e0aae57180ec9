# SPDX-License-Identifier: Apache-2.0
"""Conjugate gradients: GPUs, CPUs, steps of refinement. Tables by the name of their place in the text."""
import statistics

from tables.records import gpu_of, load


def gpu_single():
    rows = ["| 11pts-256 on one H200 | ms per iteration | over the bytes bound | over a plain loop |", "|---|---|---|---|"]
    plain = load("cg-plain-11pts-256-*.json")
    runs = [record for _, record in load("cg-11pts-256-1gpu-*.json")]
    if not plain or not runs:
        return ""
    loop = statistics.median(p["median_ms"] for _, p in plain)
    ms = statistics.median(r["ms_per_iteration"] for r in runs)
    bound = statistics.median(r["bound_ms"] for r in runs)
    rows.append(f"| plain loop over the same kernels | {loop:.3f} | {loop / bound:.2f} | 1 |")
    rows.append(f"| task flow through StarPU | {ms:.3f} | {ms / bound:.2f} | {ms / loop:.3f} |")
    return "\n".join(rows)


def gpu_tables():
    out = []
    for name, record in load("cg-tables-*.json"):
        gpu = record["starpu"]["gpus"][0].split("(")[-1].split(" GiB")[0].rsplit(" ", 1)[0].removeprefix("NVIDIA ")
        out.append(f"{record['matrix']['name']}, {gpu}, transfers {record['transfers']}, "
                   f"version {record.get('commit', record['version'])}: ms per iteration (e)\n")
        fused = [c for c in record["cases"] if c["flow"] == "fused" and c["gpus"] == c["blocks"]]
        whole = any(c.get("task") == "graph" for c in fused)
        wanted = [(d, t, "operation") for d in ("1d", "2d") for t in ("full", "packed")
                  if any((c["decomposition"], c["transfer"]) == (d, t) for c in fused if c["gpus"] > 1)]
        labels = [f"{d.upper()} {t}" for d, t, _ in wanted] + (["whole iterations, 1D packed"] if whole else [])
        out.append("| GPUs | " + " | ".join(labels) + " |")
        out.append("|---|" + "---|" * len(labels))
        for gpus in sorted({c["gpus"] for c in fused}):
            cells = []
            for decomposition, transfer, task in wanted + ([("1d", "packed", "graph")] if whole else []):
                found = [c for c in fused if c["gpus"] == gpus and c["decomposition"] == decomposition and
                         (c["transfer"] == transfer or (gpus == 1 and (task == "graph" or transfer == wanted[0][1]))) and c.get("task", "operation") == task]
                cells.append(f"{found[0]['median_ms']:.3f} ({found[0]['e']:.3f})" if found else "")
            out.append(f"| {gpus} | " + " | ".join(cells) + " |")
        best = [c for c in record["cases"] if c["gpus"] > 1 and "e_pipeline" in c]
        if best:
            b = max(best, key=lambda c: (c["gpus"], c["S"]))
            out.append(f"\nBest by operations on {b['gpus']}: S = {b['S']:.3f}, e = {b['e']:.3f} = e_granularity {b['e_granularity']:.3f} "
                       f"x e_pipeline {b['e_pipeline']:.3f} ({b['decomposition'].upper()} {b['transfer']}).")
        out.append("")
    return "\n".join(out).strip()


def gpu_sizes():
    [(_, record)] = load("cg-defaults-h100x4.json")
    rows = [f"| defaults, H100, version {record['commit']}: ms per iteration (e) | one GPU | two | four |", "|---|---|---|---|"]
    for system in record["systems"]:
        ms = {int(gpus): statistics.median(times) for gpus, times in system["ms"].items()}
        rows.append(f"| {system['stencil']} | " + " | ".join(f"{ms[g]:.3f} ({ms[1] / ms[g] / g:.2f})" for g in (1, 2, 4)) + " |")
    return "\n".join(rows)


def gpu_waits():
    [(_, record)] = load("cg-trace-11pts-256-h100x4.json")
    tasks = {c["codelet"]: 1e6 * c["median"] for c in record["codelets"]}
    iteration = 1e6 * record["iteration"]["median"]
    return "\n".join([
        "| 11pts-256 on four H100, by operations, traced | us, median |", "|---|---|",
        f"| iteration | {iteration:.0f} |", f"| product | {tasks['cg_spmv_dot']:.0f} |", f"| residual | {tasks['cg_residual']:.0f} |",
        f"| solution and direction | {tasks['cg_direction']:.0f} |", f"| each of three waiting points | {(iteration - sum(tasks.values())) / 3:.0f} |"])


def cpu():
    rows = ["| 11pts-128 on 2 CPU workers | ms per iteration, median (min..max) |", "|---|---|"]
    for name, record in load("bench-cg-*.json"):
        s = record["summary"]
        for key, label in (("asterism_ms", "Asterism"), ("bound_ms", "bytes bound, 12 nnz + 84 N over the measured read bandwidth"),
                           ("petsc_ms", "PETSc KSPCG, 2 ranks")):
            if key in s:
                rows.append(f"| {label} | {s[key]['median']:.1f} ({s[key]['min']:.1f}..{s[key]['max']:.1f}) |")
        if "ratio_to_bound" in s:
            rows.append(f"| Asterism / bound | {s['ratio_to_bound']['median']:.2f} |")
        if "speedup" in s:
            rows.append(f"| PETSc / Asterism | {s['speedup']['median']:.2f} |")
    return "\n".join(rows) if len(rows) > 2 else ""


def picture():
    """Time of an iteration step by step through the paper's refinements, as an SVG."""
    found = load("cg-refinement-*.json")
    if not found:
        return
    record = found[-1][1]
    steps = [(s["label"], s["ms"]) for s in record["steps"]]
    width, left, bar, gap = 760, 250, 24, 12
    height = 70 + len(steps) * (bar + gap)
    longest = max(ms for _, ms in steps)
    bound = record["bound_ms"]
    scale = (width - left - 90) / longest
    svg = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="13">',
           f'<rect width="{width}" height="{height}" fill="white"/>',
           f'<text x="10" y="22" font-size="15">{record["title"]}</text>']
    for k, (label, ms) in enumerate(steps):
        y = 40 + k * (bar + gap)
        svg.append(f'<text x="{left - 8}" y="{y + bar * 0.7:.0f}" text-anchor="end">{label}</text>')
        svg.append(f'<rect x="{left}" y="{y}" width="{ms * scale:.1f}" height="{bar}" fill="#3a7d44"/>')
        svg.append(f'<text x="{left + ms * scale + 6:.1f}" y="{y + bar * 0.7:.0f}">{ms:.2f} ms</text>')
    x = left + bound * scale
    bottom = 40 + len(steps) * (bar + gap)
    svg.append(f'<line x1="{x:.1f}" y1="34" x2="{x:.1f}" y2="{bottom}" stroke="#b00020" stroke-width="2" stroke-dasharray="5 3"/>')
    svg.append(f'<text x="{x:.1f}" y="{bottom + 16}" fill="#b00020" text-anchor="middle">bytes bound {bound:.2f} ms</text>')
    svg.append("</svg>")
    return "\n".join(svg) + "\n"


def gpu_libraries():
    rows = ["| with defaults, in turn with a loop over cuSPARSE and cuBLAS that is a CUDA graph | ms per iteration | over the bytes bound | over the loop |",
            "|---|---|---|---|"]
    for _, record in load("cg-cusparse-*.json"):
        for system in record["systems"]:
            own = system["asterism_cg"]
            rows.append(f"| {system['stencil']}, {record['gpu'].removeprefix('NVIDIA ')} | {own['median_ms']:.3f} (loop {system['loop']['median_ms']:.3f}) | "
                        f"{own['ratio_to_bound']:.2f} | {own['ratio_to_loop']:.2f} |")
    return "\n".join(rows)


def preconditioners():
    """Iterations and seconds under each preconditioner."""
    records = [record for name in ("", "-small") for _, record in load(f"cg-preconditioners{name}.json")]
    rows = [f"Version {records[0]['commit']}:", "", "| system | rows | `jacobi`: iterations | s | `ssor`: iterations | set-up + solve, s | `amg`: iterations | set-up + solve, s "
            "| over `jacobi` | GAMG: iterations | set-up + solve, s | `auto` chooses |", "|---|---|---|---|---|---|---|---|---|---|---|---|"]
    for line in (line for record in records for line in record["systems"]):
        runs = line["runs"]
        jacobi = runs["jacobi"]["solve_seconds"]
        cells = [line["system"], f"{line['rows']:,}", runs["jacobi"]["iterations"], f"{jacobi:.3f}"]
        for key in ("ssor", "amg", "gamg"):
            run = runs.get(key)
            cells += [run["iterations"], f"{run['setup_seconds']:.3f} + {run['solve_seconds']:.3f}"] if run else ["", ""]
            cells += [f"{(run['setup_seconds'] + run['solve_seconds']) / jacobi:.2f}"] if key == "amg" else []
        cells.append(f"`{runs['auto']['name']}`")
        rows.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(rows)


def preconditioners_of_hard_systems():
    """Iterations only."""
    records = [record for name in ("crankshaft", "hard") for _, record in load(f"cg-preconditioners-{name}.json")]
    rows = [f"Version {records[-1]['commit']}:", "", "| system | rows | tolerance | `jacobi`: iterations | `ssor` | `amg` | GAMG |", "|---|---|---|---|---|---|---|"]
    for line in (line for record in records for line in record["systems"]):
        runs = line["runs"]
        iterations = [runs[key]["iterations"] if key in runs else "" for key in ("jacobi", "ssor", "amg", "gamg")]
        words = line["options"].split()
        rows.append("| " + " | ".join([line["system"], f"{line['rows']:,}", words[words.index("--tolerance") + 1],
                                       *("does not converge" if n == -1 else str(n) for n in iterations)]) + " |")
    return "\n".join(rows)


def preconditioner_ssor():
    """SSOR beside Jacobi on the larger systems."""
    [(_, record)] = load("cg-preconditioners-ssor.json")
    rows = [f"Version {record['commit']}:", "", "| system | rows | `jacobi`: iterations | s | `ssor`: iterations | set-up + solve, s | iterations over `jacobi` "
            "| time over `jacobi` |", "|---|---|---|---|---|---|---|---|"]
    for line in record["systems"]:
        jacobi, ssor = line["runs"]["jacobi"], line["runs"]["ssor"]
        rows.append(f"| {line['system']} | {line['rows']:,} | {jacobi['iterations']} | {jacobi['solve_seconds']:.2f} | {ssor['iterations']} | "
                    f"{ssor['setup_seconds']:.2f} + {ssor['solve_seconds']:.2f} | {ssor['iterations'] / jacobi['iterations']:.2f} | "
                    f"{(ssor['setup_seconds'] + ssor['solve_seconds']) / jacobi['solve_seconds']:.2f} |")
    return "\n".join(rows)


def multigrid_on_grids():
    """Iterations and time from grid to grid."""
    [(_, record)] = load("cg-amg-7pts-256.json")
    runs = [(line, line["runs"]["jacobi"], line["runs"]["amg"]) for line in record["systems"]]
    most, fewest = (limit(amg["iterations"] for _, _, amg in runs) for limit in (max, min))
    rows = [f"Version {record['commit']}:", "", "| system | rows | `jacobi`: iterations | s | `amg`: iterations | set-up + solve, s | over `jacobi` |",
            "|---|---|---|---|---|---|---|"]
    for line, jacobi, amg in runs:
        rows.append(f"| {line['system']} | {line['rows']:,} | {jacobi['iterations']} | {jacobi['solve_seconds']:.2f} | {amg['iterations']} | "
                    f"{amg['setup_seconds']:.2f} + {amg['solve_seconds']:.2f} | {(amg['setup_seconds'] + amg['solve_seconds']) / jacobi['solve_seconds']:.2f} |")
    return "\n".join([*rows, f"| most over fewest | | | | {most / fewest:.2f} | | |"])


def choice_of_preconditioner():
    """Whole programs: the choice takes time, too."""
    [(_, record)] = load("cg-preconditioners-auto.json")
    rows = [f"Wall clock of programs in turn, `{record['units']}`, version {record['commit']}:", "",
            "| system | rows | `jacobi`, s | `amg`, s | `auto`, s | `auto` chooses |", "|---|---|---|---|---|---|"]
    for line in record["systems"]:
        walls = [f"{line['runs'][key]['wall_seconds']:.2f}" for key in ("jacobi", "amg", "auto")]
        auto = line["runs"]["auto"]
        rows.append("| " + " | ".join([line["system"], f"{line['rows']:,}", *walls, f"`{auto['name']}`: {auto['chosen']}"]) + " |")
    return "\n".join(rows)


def preconditioners_of_bodies():
    """Multigrid beside PETSc's, with the rigid motions in both."""
    [(_, record)] = load("cg-preconditioners-bodies.json")
    rows = ["| body | rows | `jacobi`: iterations | s | `amg`: iterations | set-up + solve, s | GAMG: iterations | set-up + solve, s |",
            "|---|---|---|---|---|---|---|---|"]
    for line in record["systems"]:
        runs = line["runs"]
        cells = [line["system"], f"{line['rows']:,}", runs["jacobi"]["iterations"], f"{runs['jacobi']['solve_seconds']:.2f}"]
        for key in ("amg", "gamg"):
            cells += [runs[key]["iterations"], f"{runs[key]['setup_seconds']:.2f} + {runs[key]['solve_seconds']:.2f}"]
        rows.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(rows)


def preconditioners_beside_gpu():
    """One GPU, the set-up on the cores of its host."""
    tables = []
    for _, record in load("cg-preconditioners-h?00.json"):
        rows = [f"One {gpu_of(record)}, version {record['commit']}:", "",
                "| system | `jacobi`: iterations | ms | `amg`: iterations | set-up + solve, ms | `auto` chooses |", "|---|---|---|---|---|---|"]
        for line in record["systems"]:
            jacobi, amg = line["runs"]["jacobi"], line["runs"]["amg"]
            rows.append(f"| {line['system']} | {jacobi['iterations']} | {1e3 * jacobi['solve_seconds']:.1f} | {amg['iterations']} | "
                        f"{1e3 * amg['setup_seconds']:.0f} + {1e3 * amg['solve_seconds']:.1f} | `{line['runs']['auto']['name']}` |")
        tables.append("\n".join(rows))
    return "\n\n".join(tables)


TABLES = {
    "cg-preconditioners-gpus": preconditioners_beside_gpu,
    "cg-preconditioners": preconditioners,
    "cg-preconditioners-ssor": preconditioner_ssor,
    "cg-preconditioners-hard": preconditioners_of_hard_systems,
    "cg-multigrid": multigrid_on_grids,
    "cg-preconditioners-auto": choice_of_preconditioner,
    "cg-preconditioners-bodies": preconditioners_of_bodies,
    "gpu-single": gpu_single,
    "gpu-libraries": gpu_libraries,
    "gpu-tables": gpu_tables,
    "gpu-waits": gpu_waits,
    "gpu-sizes": gpu_sizes,
    "cpu": cpu,
}
