# SPDX-License-Identifier: Apache-2.0
"""Boundary elements in the time domain. Tables by the name of their place in the text."""
from tables.records import gpu_of, load, reproduced


def tdbem_kernels():
    """The summation stage on a GPU: rates of the variants, of read bandwidth by the bytes that each has to read."""
    out = []
    for _, record in load("tdbem-kernels-*.json"):
        runs = [r for r in record["runs"] if r.get("parts_by_default", True) and r.get("waves", 1) == 1]
        def best(variant, kind, group, large=True):
            found = [r for r in runs if r["variant"] == variant and r["type"] == kind and r["group"] == group]
            return max(found, key=lambda r: (r["total_rows"] if large else -r["total_rows"], r["gflops"])) if found else None
        out.append(f"| summation on one {record['device'].replace('NVIDIA ', '')}, row-vectors of 9.5 | summation vectors at once | double, GFlop/s | of read bandwidth | single, GFlop/s | of read bandwidth |")
        out.append("|---|---|---|---|---|---|")
        for variant, group in (("front", 1), ("multi-vectors/vector", 1), ("multi-vectors/vector", 4), ("multi-vectors/vector", 8), ("multi-vectors/vector", 16)):
            cells = [best(variant, kind, group) for kind in ("double", "float")]
            if not all(cells):
                continue
            name = "k-order products, cuSPARSE" if variant == "front" else "multi-vectors/vector by tiles"
            out.append(f"| {name} | {group} | " + " | ".join(f"{c['gflops']:.0f} | {c['of_read']:.1%}" for c in cells) + " |")
    return "\n".join(out)


def tdbem_sphere():
    """Errors against the exact series."""
    out = ["| unit sphere, pulse exp(-(t-7)^2/2) cos 2(t-7), c dt / h = 1/2 | h | Kmax | values for k >= 1 | rigid, relative L2 error | soft |", "|---|---|---|---|---|---|"]
    for _, record in load("tdbem-sphere*.json"):
        for n in dict.fromkeys(r["unknowns"] for r in record["runs"]):
            rigid, soft = (next(r for r in record["runs"] if r["unknowns"] == n and r["boundary"] == b) for b in ("rigid", "soft"))
            out.append(f"| {n} unknowns | {rigid['edge']:.3f} | {rigid['largest_lag']} | {rigid['values']} | {rigid['error']:.4f} | {soft['error']:.4f} |")
    return "\n".join(out)


def tdbem_statistics():
    """The paper's airplane and ours, and its Table 4."""
    out = []
    for _, record in load("reproduce-tdbem-table4.json"):
        f = reproduced(record)
        airplane = [("unknowns N", "{:.0f}", 1), ("Kmax", "{:.0f}", 1), ("values, k >= 1", "{:.2f}e9", 1e-9), ("mean row-vector", "{:.1f}", 1), ("dmax", "{:.0f}", 1)]
        numberings = ("no ordering", "Morton", "Hilbert")
        out += ["| airplane | " + " | ".join(name for name, _, _ in airplane) + " | score: " + ", ".join(numberings) + " |", "|---|" + "---|" * (len(airplane) + 1)]
        for title, pick in (("here", lambda v: v[1][0]), ("the paper's", lambda v: v[0])):
            out.append(f"| {title} | " + " | ".join(form.format(pick(f["The airplane", name]) * unit) for name, form, unit in airplane)
                       + " | " + ", ".join(f"{pick(f['Score of the numbering', n]):.0f}" for n in numberings) + " |")
        out += ["", "| Table 4, b_r x b_c: 10^6 blocks of b_c rows, b_r lags (the paper's) | " + " | ".join(numberings) + " | non-zeros by Hilbert | E by Hilbert, s |",
                "|---|" + "---|" * 5]
        for (section, shape) in f:
            if section != "Blocks, Hilbert":
                continue
            blocks = [f["Blocks, " + n, shape] for n in numberings]
            share, seconds = f["Non-zeros in blocks, Hilbert", shape], f["Estimated time E, Hilbert", shape]
            out.append(f"| {shape} | " + " | ".join(f"{v[1][0]:.1f} ({v[0]:.0f})" for v in blocks)
                       + f" | {share[1][0]:.1f} % ({share[0]:.1f} %) | {seconds[1][0]:.2f} ({seconds[0]:.2f}) |")
    return "\n".join(out)


def tdbem_balance():
    """The paper's Table 1."""
    out = []
    for _, record in load("reproduce-tdbem-table1.json"):
        f = reproduced(record)
        out += ["| Table 1: extra time over the optimum, largest over the distributions of work | the paper | its heuristic as written | aimed at its fixed point |", "|---|---|---|---|"]
        for (section, name), (paper, ours, _) in f.items():
            if name.endswith(", largest"):
                out.append(f"| workers {name.removesuffix(', largest')} | {paper:.1f} % | {ours[0]:.3f} % | {ours[1]:.3f} % |")
    return "\n".join(out)


def tdbem_disk():
    """Blocks of slices on a disk."""
    out = []
    for _, record in load("tdbem-disk-*.json"):
        out += [f"| {record['problem']}, {record['matrices_mb']:.0f} MB of matrices, 2 cores | memory, MB | ms per step | of all in memory | read per pass, MB | from the disk while marching, GB/s |", "|---|---|---|---|---|---|"]
        base = record["cases"][0]["ms_per_step"]
        for c in record["cases"]:
            out.append(f"| {c['setting']} | {c['memory_mb'] or ''} | {c['ms_per_step']:.2f} | {c['ms_per_step'] / base:.1f} | "
                       + (f"{c['read_mb_per_pass']:.0f} | {c['read_gb_per_s']:.2f} |" if c["read_mb_per_pass"] else " | |"))
        out.append(f"\nThe disk itself, read without cache: {record['disk_gb_per_s']:.2f} GB/s.")
    return "\n".join(out)


def tdbem_runs():
    """Steps of the airplane on GPUs, by the ways of sharing out blocks of slices."""
    records = sorted((r for _, r in load("tdbem-airplane-*.json")),
                     key=lambda r: (-r["problem"]["unknowns"], gpu_of(r), len(r["starpu"]["gpus"]), r["seconds_per_step"]))
    out = ["| airplane, single precision | version | slices, GB | sharing | products ahead | blocks of each | ms per step | TFlop/s | of read bandwidth |",
           "|---|---|---|---|---|---|---|---|---|"]
    for r in records:
        gpus, sharing = len({name.split('(')[1] for name in r["starpu"]["gpus"]}), r["method"]["sharing"]  # one may have several workers
        cores = "" if sharing == "gpus" else f" and {r['starpu']['cpu_workers']} cores"
        how = f"scheduler {r['starpu']['scheduler']}" if sharing == "scheduler" else "intervals"
        blocks = "" if sharing == "scheduler" else ", ".join(str(n) for n in r["method"]["shares"])
        out.append(f"| {r['problem']['unknowns']:,} unknowns, {gpus} {gpu_of(r)}{cores} | {r.get('commit', r['version'])} | {r['matrices']['bytes'] * 1e-9:.1f} | {how} | {'yes' if r['method']['ahead'] else 'no'} "
                   f"| {blocks} | {r['seconds_per_step'] * 1e3:.2f} | {r['gflops'] * 1e-3:.1f} | {r['bandwidth']['share']:.0%} |")
    return "\n".join(out)


TABLES = {
    "tdbem-sphere": tdbem_sphere,
    "tdbem-statistics": tdbem_statistics,
    "tdbem-balance": tdbem_balance,
    "tdbem-disk": tdbem_disk,
    "tdbem-kernels": tdbem_kernels,
    "tdbem-runs": tdbem_runs,
}
