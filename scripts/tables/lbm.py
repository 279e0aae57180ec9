# SPDX-License-Identifier: Apache-2.0
"""Lattice Boltzmann. Tables by the name of their place in the text."""
import statistics

from tables.records import gpu_of, load


def lbm_gpu():
    """Updates on a GPU: the kernels, time steps of a box one after the other, and through StarPU."""
    kernels, flows = load("lbm-kernels-*.json"), load("lbm-h200*.json")
    if not kernels:
        return ""
    record = kernels[-1][1]
    through = {c["setting"]: c["mlups"] for _, f in flows for c in f["cases"]}
    cavities = {(tuple(c["flow"]["cells"]), c["flow"]["precision"]): c["mlups"] for _, f in load("lbm-scenes-h200*.json") for c in f["cases"]
                if c["flow"]["case"] == "cavity"}

    def of(rows, key, **wanted):
        return next(r[key] for r in rows if all(r[k] == v for k, v in wanted.items()))

    out = [f"| lid-driven cavity on one {record['device']}, BGK, version {record['commit']} | alpha | beta | steps, walls included | through StarPU | of copy bandwidth |",
           "|---|---|---|---|---|---|"]
    for cells in ([256, 256, 256], [512, 512, 128]):
        for kind, precision, bytes_of, threads in (("double", "double", 8, 128), ("float", "single", 4, 128), ("half", "half", 2, 64)):
            same = {"type": kind, "cells": cells, "collision": "bgk"}
            alpha, beta = (of(record["runs"], "mlups", half=h, threads=threads, **same) for h in ("alpha", "beta"))
            box = of(record["steps"], "mlups", **same)
            copy = of(record["runs"], "copy_gb_per_s", half="alpha", threads=threads, **same)
            flow = cavities.get((tuple(cells), precision))
            share = (flow or box) * 1e-3 * 2 * 19 * bytes_of / copy
            out.append(f"| {'x'.join(map(str, cells))}, {kind} | {alpha:.0f} | {beta:.0f} | {box:.0f} | {f'{flow:.0f}' if flow else ''} | {share:.1%} |")
    cuts = [(s, m) for s, m in through.items() if "subdomains" in s]
    if cuts:
        out += ["", f"| bricks on one GPU, double, version {flows[-1][1]['commit']} | MLUPS | of one brick |", "|---|---|---|"]
        for setting, mlups in cuts:
            whole, cut = setting.split(", subdomains ")
            size = whole.removeprefix("size ")
            out.append(f"| {size if 'x' in size else 'x'.join([size] * 3)} in {cut} | {mlups:.0f} | {mlups / through[whole]:.1%} |")
    return "\n".join(out)


def lbm_scenes():
    """A body in a stream and periodic vortices beside the cavity."""
    out = []
    for _, record in load("lbm-scenes-*.json"):
        names = {"cavity": "lid-driven cavity, BGK", "stream": "body in a stream, Smagorinsky, force every 10 steps", "taylor-green": "Taylor-Green vortices, periodic"}
        rates = {(c["flow"]["case"], c["flow"]["precision"]): c["mlups"] for c in record["cases"]}
        kinds = list(dict.fromkeys(kind for _, kind in rates))
        cells = "x".join(map(str, record["cases"][0]["flow"]["cells"]))
        out += [f"| {cells} cells on one {gpu_of(record)}, version {record['commit']}: MLUPS (beside the cavity) | " + " | ".join(kinds) + " |", "|---|" + "---|" * len(kinds)]
        for case, name in names.items():
            of = [f"{rates[case, kind]:.0f} ({rates[case, kind] / rates['cavity', kind] - 1:+.1%})" if (case, kind) in rates else "" for kind in kinds]
            out.append(f"| {name} | " + " | ".join(of) + " |")
    return "\n".join(out)


def lbm_weak():
    """One sub-domain per GPU: more GPUs, a larger domain."""
    out = []
    for _, record in load("lbm-weak-*.json"):
        gpu = gpu_of(record)
        rates = {}
        for case in record["cases"]:
            words = dict(w.split() for w in case["setting"].split(", "))
            if "gpu-bricks" in words:
                continue
            rates[words.get("precision", "double"), words.get("subdomains", "1x1x1")] = (int(words["gpus"]), case["mlups"])
        kinds = list(dict.fromkeys(kind for kind, _ in rates))
        out += [f"| cavity, 256x256x256 cells per {gpu}, version {record['commit']}: MLUPS (of as many single ones) | GPUs | " + " | ".join(kinds) + " |",
                "|---|---|" + "---|" * len(kinds)]
        for parts in dict.fromkeys(parts for _, parts in rates):
            gpus = next(rates[kind, parts][0] for kind in kinds if (kind, parts) in rates)
            cells = [f"{rates[kind, parts][1]:.0f} ({rates[kind, parts][1] / (gpus * rates[kind, '1x1x1'][1]):.1%})" if (kind, parts) in rates else ""
                     for kind in kinds]
            out.append(f"| {parts} | {gpus} | " + " | ".join(cells) + " |")
        out.append("")
    return "\n".join(out).strip()


def lbm_shares():
    """Cells that a GPU gets of a domain that CPUs share with it: figure 9 and table 3 of the paper."""
    records = [record for _, record in load("lbm-shares-*.json")]
    if not records:
        return ""
    shares = list(dict.fromkeys(c["setting"].removeprefix("gpu-share ") for r in records for c in r["cases"]))
    shares.sort(key=lambda s: -float(s) if s != "auto" else 1)
    rows = {r["domain"]: {c["setting"].removeprefix("gpu-share "): c["mlups"] for c in r["cases"]} for r in records}
    out = ["| MLUPS, double, 14 CPU workers and one H200 | " + " | ".join(rows) + " |", "|---|" + "---|" * len(rows)]
    for share in shares:
        title = "auto" if share == "auto" else f"{float(share):.1%} of the cells to the GPU"
        out.append(f"| {title} | " + " | ".join(f"{of[share]:.0f}" for of in rows.values()) + " |")
    return "\n".join(out)


def lbm_sphere():
    out = []
    for _, record in load("lbm-sphere-*.json"):
        flow = record["flow"]
        late = [c for step, c in record["drag_coefficients"] if 2 * step >= flow["steps"]]
        reynolds = flow["velocity"] * flow["length"] * 3 / (flow["tau"] - 0.5)
        known = 24 / reynolds * (1 + 0.15 * reynolds ** 0.687)
        out += ["| sphere in a stream, one H200 | cells across | Re | drag coefficient, smallest to largest of the later half | Schiller and Naumann |",
                "|---|---|---|---|---|",
                f"| {'x'.join(map(str, flow['cells']))}, {flow['collision'].upper()}, {flow['precision']} | {flow['length']:.0f} | {reynolds:.0f} "
                f"| {statistics.mean(late):.3f}, {min(late):.3f} to {max(late):.3f} | {known:.3f} |"]
    return "\n".join(out)


def lbm_cpu():
    out = []
    for _, record in load("lbm-cpu-*.json"):
        out.append(f"| through StarPU, {record['machine']['cores']} cores ({record['machine']['processor']}), version {record['commit']} | MLUPS | of copy bandwidth |")
        out.append("|---|---|---|")
        for c in record["cases"]:
            size, case = c["flow"]["cells"][0], {"cavity": "lid-driven cavity, BGK", "taylor-green": "Taylor-Green vortices, periodic, BGK"}[c["flow"]["case"]]
            numbers = next((name for word, name in (("single", "float"), ("half", "16 bits")) if word in c["setting"]), "double")
            out.append(f"| {case}, {'x'.join([str(size)] * 3)}, {numbers} | {c['mlups']:.1f} | {c['share_of_copy_bandwidth']:.1%} |")
    return "\n".join(out)


def lbm_cavity():
    out = []
    for _, record in load("lbm-cavity-*.json"):
        out.append("| cubic cavity, Re 1000, TRT, double | largest difference of u(z) | of w(x), in units of the lid's velocity |")
        out.append("|---|---|---|")
        for r in record["runs"]:
            out.append(f"| {'x'.join(map(str, r['flow']['cells']))} | {r['published']['u']:.4f} | {r['published']['w']:.4f} |")
    return "\n".join(out)


def lbm_cylinder():
    """Case 2D-2 of Schaefer and Turek."""
    rows = ["| cells across, velocity | collision | largest drag | lift | Strouhal number | density at the inlet |",
            "|---|---|---|---|---|---|"]
    for _, record in sorted(load("lbm-cylinder-*.json"), key=lambda named: named[1]["cells"]):
        for run in record["runs"]:
            model, _, magic = run["collision"].partition("/")
            rows.append(f"| {record['cells']}, {record['velocity']} | `{model}`{f', `--magic {magic}`' if magic else ''} | {run['drag'][1]:.3f} "
                        f"| {run['lift'][1]:.3f}, {run['lift'][0]:.3f} | {format(run['strouhal'], '.3f') if run['strouhal'] else ''} | {run['inlet']:.5f} |")
    by = {(record["cells"], record["velocity"], run["collision"]): run for _, record in load("lbm-cylinder-*.json") for run in record["runs"]}
    for (cells, velocity, collision), fine in by.items():
        coarse = by.get((cells // 2, velocity, collision))
        if coarse:
            drag, up, down = (f - (c - f) / 3 for c, f in ((coarse["drag"][1], fine["drag"][1]), (coarse["lift"][1], fine["lift"][1]),
                                                           (coarse["lift"][0], fine["lift"][0])))
            rows.append(f"| {cells // 2} and {cells}, errors falling with the square | `{collision.replace('/', '`, `--magic ')}` | {drag:.3f} | {up:.3f}, {down:.3f} | | |")
    rows.append("| published |  | 3.22 to 3.24 | 0.99 to 1.01 | 0.295 to 0.305 | |")
    return "\n".join(rows)


def within(value, low, high, digits):
    """A value, the interval, and whether it lies in it, as table cells; with the digits that were published."""
    value = round(value, digits)
    apart = "within" if low <= value <= high else f"{100 * (max(low - value, value - high) / high):.1f} % outside"
    return f"{value:.{digits}f} | {low:.{digits}f} to {high:.{digits}f}, Schaefer, Turek 1996 | {apart}"


def beside(value, reference, by, digits):
    """The same of one published value."""
    return f"{value:.{digits}f} | {reference:.{digits}f}, {by} | {100 * abs(value / reference - 1):.1f} %"


def lbm_jobs():
    """Published flows; those without a record are left out."""
    of = {name: job for _, record in load("jobs-lbm*.json") for name, job in record["jobs"].items()}
    [(_, record)] = load("lbm-cylinder-40.json")
    [of["cylinder-100"]] = record["runs"]
    johnson, kim = "Johnson, Patel 1999", "Kim, Moin, Moser 1987"
    figures = {
        "sphere-100": ("sphere, Reynolds number 100, 12 cells across", lambda job: [
            ("drag", beside(job["drag"]["mean"], 1.09, johnson, 3))]),
        **{name: (f"sphere, Reynolds number 300, {size}", lambda job: [
            ("drag", beside(job["drag"]["mean"], 0.656, johnson, 3)),
            ("lift", beside(abs(job["lift"]["mean"]), 0.069, johnson, 3)),
            ("Strouhal number", beside(job["strouhal"], 0.137, johnson, 3) if job["strouhal"] else f"no regular period | 0.137, {johnson} | ")])
           for name, size in (
                ("sphere-300", "16 cells across, domain of 5.5 diameters"), ("sphere-300-wide", "16 cells across, domain of 8 diameters"),
                ("sphere-300-fine", "24 cells across, domain of 8 diameters"))},
        "cylinder-20": ("cylinder in a channel, 2D-1, 40 cells across", lambda job: [
            ("drag", within(job["drag"]["mean"], 5.57, 5.59, 3)),
            ("lift", within(job["lift"]["mean"], 0.0104, 0.0110, 4)),
            ("difference of pressure at 0.2 m/s and 1 kg/m$^3$, Pa", within(job["pressure_difference"] * 0.2**2, 0.1172, 0.1176, 4))]),
        "cylinder-100": ("cylinder in a channel, 2D-2, 40 cells across", lambda job: [
            ("largest drag", within(job["drag"][1], 3.22, 3.24, 3)),
            ("largest lift", within(job["lift"][1], 0.99, 1.01, 3)),
            ("Strouhal number", within(job["strouhal"], 0.295, 0.305, 3))]),
        **{f"cavity-{re}": (f"cavity, periodic along y, Reynolds number {re}, 64 cells", lambda job: [
            ("velocity on its centre lines, by the lid's", " | Ghia et al. 1982 | "
             f"{100 * max(value for key, value in job['published'].items() if key != 'source'):.1f} %")]) for re in (100, 400)},
        "channel-180": ("channel, $Re_\\tau$ 180, cells of 7.5 wall units", lambda job: [
            ("mean velocity $U_m/u_\\tau$", beside(job["mean"], 15.63, kim, 2)),
            ("in the middle $U_c/u_\\tau$", beside(job["middle"], 18.20, kim, 2)),
            ("friction $2u_\\tau^2/U_m^2$", beside(2 / job["mean"]**2, 0.00818, kim, 5))]),
        "sphere-10000": ("sphere, Reynolds number 10,000, 8 cells across", lambda job: [
            (f"drag over {job['steps']:,} steps", f"{job['drag']['least']:.2f} to {job['drag']['most']:.2f} | does not diverge | ")]),
    }
    rows = ["| job | figure | here | published | difference |", "|---|---|---|---|---|"]
    for name, (job, lines) in figures.items():
        for n, (figure, cells) in enumerate(lines(of[name]) if name in of else []):
            rows.append(f"| {job if n == 0 else ''} | {figure} | {cells} |")
    return "\n".join(rows)


TABLES = {
    "lbm-jobs": lbm_jobs,
    "lbm-cylinder": lbm_cylinder,
    "lbm-gpu": lbm_gpu,
    "lbm-scenes": lbm_scenes,
    "lbm-weak": lbm_weak,
    "lbm-shares": lbm_shares,
    "lbm-cpu": lbm_cpu,
    "lbm-cavity": lbm_cavity,
    "lbm-sphere": lbm_sphere,
}
