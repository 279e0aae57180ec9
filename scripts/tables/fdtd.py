# SPDX-License-Identifier: Apache-2.0
"""Finite differences in the time domain. Tables by the name of their place in the text."""
import statistics

from tables.records import gpu_of, load


def fdtd_gpu():
    """Time steps of a box of electric conductors on a GPU: in two passes through memory, and several steps in one."""
    out = []
    for _, record in load("fdtd-kernels-*.json"):
        out.append(f"| electric conductors, {record['device']}, 10^6 cells/s | two passes | of copy bandwidth | several steps in one pass | ratio |")
        out.append("|---|---|---|---|---|")
        for kind in ("double", "float"):
            for cells in dict.fromkeys(tuple(r["cells"]) for r in record["steps"]):
                two = next(r for r in record["steps"] if r["type"] == kind and tuple(r["cells"]) == cells
                           and (r["threads"], r["march"]) == ([64, 4], 16))
                best = max((r for r in record["steps_at_once"] if r["type"] == kind and tuple(r["cells"]) == cells and r["planes"] == 0),
                           key=lambda r: r["mcells_per_s"])
                out.append(f"| {'x'.join(map(str, cells))}, {kind} | {two['mcells_per_s']:.0f} | {two['of_copy']:.1%} "
                           f"| {best['mcells_per_s']:.0f} ({best['at_once']} at once) | {best['mcells_per_s'] / two['mcells_per_s']:.2f} |")
    return "\n".join(out)


def fdtd_flow():
    """The benchmark problem through StarPU on one GPU and on several."""
    records = load("fdtd-h200*.json")
    if not records:
        return ""
    rates = {}
    for _, record in records:
        for c in record["cases"]:
            rates.setdefault((record["options"], c["setting"]), []).extend(c["samples"])
    rate = {setting: statistics.median(samples) for (_, setting), samples in rates.items()}
    out = ["| benchmark problem, double, 10^6 cells/s | one H200 | of two passes at copy bandwidth | two | speed-up | four | speed-up | exchange on two costs |",
           "|---|---|---|---|---|---|---|---|"]
    shares = {c["setting"]: c["share_of_copy_bandwidth"] for _, r in records for c in r["cases"]}
    for n in (100, 200, 400, 800):
        one = rate[f"size {n}, gpus 1"]
        two = max((rate.get(f"size {n}, gpus 2{s}", 0) for s in ("", ", bricks-per-gpu 1")))
        four = max((rate.get(f"size {n}, gpus 4{s}", 0) for s in ("", ", bricks-per-gpu 1")))
        half = rate.get(f"size {n // 2}x{n}x{n}, gpus 1")
        out.append(f"| {n}x{n}x{n} | {one:.0f} | {shares[f'size {n}, gpus 1']:.0%} | {two:.0f} | {two / one:.2f} | {four:.0f} | {four / one:.2f} "
                   f"| {f'{1 - two / (2 * half):.1%}' if half else ''} |")
    return "\n".join(out)


def fdtd_several():
    """A box of conductors and an open one with absorbing layers, on one, two and four GPUs of one host."""
    out = []
    for _, record in load("fdtd-h100x4*.json") + load("fdtd-several-*.json"):
        gpu = gpu_of(record)
        rate, share = {}, {}
        for c in record["cases"]:
            words = dict(w.split() for w in c["setting"].split(", "))
            key = int(words["size"]), words.get("cpml")
            rate.setdefault(key, {})[int(words["gpus"])] = c["mcells"]
            share[key, int(words["gpus"])] = c["share_of_copy_bandwidth"]
        out += [f"| double, 10^6 cells/s, version {record['commit']} | one {gpu} | of two passes at copy bandwidth | two | speed-up | four | speed-up |",
                "|---|---|---|---|---|---|---|"]
        for (n, layers), of in rate.items():
            name = f"dipole between absorbing layers of {layers} cells" if layers else "benchmark problem"
            out.append(f"| {name}, {n}x{n}x{n} | {of[1]:.0f} | {share[(n, layers), 1]:.0%} | "
                       + " | ".join(f"{of[g]:.0f} | {of[g] / of[1]:.2f}" for g in (2, 4)) + " |")
    return "\n".join(out)


def fdtd_exchange():
    """The thesis' Figure 4.3: one GPU with the domain whole and in two strips that exchange."""
    out = []
    for _, record in load("fdtd-exchange-*.json"):
        rate = {c["setting"]: c["mcells"] for c in record["cases"]}
        out.append("| benchmark problem, double, one H200, 10^6 cells/s | whole | two strips that overlap | exchange costs | two strips, exchange each half-step | exchange costs |")
        out.append("|---|---|---|---|---|---|")
        for n in (100, 200, 400):
            whole, far, near = (rate[f"size {n}{s}"] for s in ("", ", bricks-per-gpu 2", ", bricks-per-gpu 2, overlap 0"))
            out.append(f"| {n}x{n}x{n} | {whole:.0f} | {far:.0f} | {1 - far / whole:.1%} | {near:.0f} | {1 - near / whole:.1%} |")
    return "\n".join(out)


def fdtd_mix():
    """The thesis' Figures 4.4 to 4.6: CPUs and GPUs on one domain, by the share of the GPUs."""
    shares = (80, 90, 95, 97.5, 98, 100)
    out = ["| benchmark problem, double, 10^6 cells/s, share of the GPUs | " + " | ".join(f"{s:g} %" for s in shares) + " |",
           "|---|" + "---|" * len(shares)]
    for name, record in load("fdtd-mix-*.json"):
        rate = {round(p["x"], 3): p["mcells"] for p in record["points"]}
        n = name.split("-")[2]
        out.append(f"| {n}x{n}x{n}, {record['points'][0]['line'].replace('GPUs', 'H200')} | "
                   + " | ".join(f"{rate[s]:.0f}" if s in rate else "" for s in shares) + " |")
    return "\n".join(out)


def fdtd_cpu():
    out = []
    for _, record in load("fdtd-cpu-*.json"):
        if out:
            out.append("")
        layers = any("cpml" in c["setting"] for c in record["cases"])
        out.append(f"| vacuum {'in absorbing layers of 10 cells' if layers else 'cavity'}, 128x128x128, {record['machine']['cores']} cores ({record['machine']['processor']}) | precision | 10^6 cells/s |")
        out.append("|---|---|---|")
        for c in sorted(record["cases"], key=lambda c: -c["mcells"]):
            if "problem" in c:
                planes = c["pieces"]["overlap"]
                name, precision = f"asterism-fdtd, {'strips that overlap by %d planes' % planes if planes else 'one pass for both fields'}", c["problem"]["precision"]
            else:
                name, precision = {"meep": "Meep 1.25", "openems": "openEMS 0.0.35"}[c["setting"].split()[0]], c["precision"]
            out.append(f"| {name} | {precision} | {c['mcells']:.0f} |")
    return "\n".join(out)


def fdtd_layers():
    """The same box with absorbing layers of 10 cells and without, on one GPU."""
    out = []
    for _, record in load("fdtd-layers-*.json"):
        versions = ", ".join(dict.fromkeys(c.get("commit", record["commit"]) for c in record["cases"]))
        out.append(f"| box of 400x400x400 cells, {gpu_of(record)}, 10^6 cells/s, version {versions} | electric conductors | absorbing layers of 10 cells | ratio |")
        out.append("|---|---|---|---|")
        rate = {c["setting"]: c["mcells"] for c in record["cases"]}
        for precision in ("single", "double"):
            bare, layers = (rate[f"case box, size 400, precision {precision}{more}"] for more in ("", ", cpml 10"))
            out.append(f"| {precision} | {bare:.0f} | {layers:.0f} | {layers / bare:.2f} |")
    return "\n".join(out)


def fdtd_gold():
    """A scene with a dispersive body and a monitor, and its parts."""
    out = []
    for _, record in load("fdtd-gold-*.json"):
        out += [f"| 400x400x400 cells with layers, {gpu_of(record)} | version | 10^6 cells/s |", "|---|---|---|"]
        for c in record["cases"]:
            name = c["setting"].replace("scene tests/benchmarks/", "").replace("case box, size 400, ", "box, ").replace(", cpml 10", "")
            out.append(f"| `{name.split(',')[0]}`,{','.join(name.split(',')[1:])}, {c['steps_in']} | {c['version']} | {c['mcells']:.0f} |")
    return "\n".join(out)


def fdtd_tiles():
    """What a plane of each kind of tile costs where several steps go at once."""
    out = []
    for _, record in load("fdtd-tiles-*.json"):
        columns = {("float", 4, 0): "single, 4 steps", ("float", 4, 10): "with layers", ("double", 2, 0): "double, 2 steps", ("double", 2, 10): "with layers"}
        cost = {}
        for t in record["tiles"]:
            cost.setdefault((t["kind"], t["media"]), {}).setdefault((t["type"], t["steps"], t["layers"]), t["ns_per_plane"])
        out += [f"| ns per plane of a tile, {record['device'].removeprefix('NVIDIA ')}, version {record['commit']} | " + " | ".join(columns.values()) + " |",
                "|---|" + "---|" * len(columns)]
        for (kind, media), of in cost.items():
            name = f"`{kind}`{', media' if media else ''}"
            out.append(f"| {name} | " + " | ".join(f"{of[c]:.0f}" if c in of else "" for c in columns) + " |")
    return "\n".join(out)


TABLES = {
    "fdtd-tiles": fdtd_tiles,
    "fdtd-gold": fdtd_gold,
    "fdtd-layers": fdtd_layers,
    "fdtd-gpu": fdtd_gpu,
    "fdtd-flow": fdtd_flow,
    "fdtd-several": fdtd_several,
    "fdtd-exchange": fdtd_exchange,
    "fdtd-mix": fdtd_mix,
    "fdtd-cpu": fdtd_cpu,
}
