# SPDX-License-Identifier: Apache-2.0
"""Fast multipoles. Tables by the name of their place in the text."""
import math
import statistics

from tables.records import gpu_of, load, machine


def fmm_cpu():
    out = []
    for _, record in load("fmm-cpu-*.json"):
        out.append(f"{record['cases'][0]['particles']:,} particles, charges +-1/2, {machine(record)}:\n")
        out.append("| setting | error of potential | of force | s per evaluation | Gflop/s | tree |")
        out.append("|---|---|---|---|---|---|")
        for c in record["cases"]:
            out.append(f"| `--{c['setting']}` | {c['potential_error']:.1e} | {c['force_error']:.1e} | {c['seconds']:.3f} | {c['gflops']:.0f} | "
                       f"h = {c['tree']['height']}, {c['tree']['particles_per_leaf']['mean']:.0f} per leaf |")
    return "\n".join(out)


def fmm_gpu():
    """Seconds of an evaluation under each scheduler; how near the best one is to its linear program."""
    rows, columns, header = [], [], None
    for _, record in load("fmm-gpu-*.json"):
        header = header or f"{record['cases'][0]['particles']:,} particles, charges +-1/2, {machine(record)}; seconds per evaluation:\n"
        for setting in dict.fromkeys(c["setting"] for c in record["cases"]):
            cases = {c["scheduler"]: c for c in record["cases"] if c["setting"] == setting}
            columns += [name for name in cases if name not in columns]
            traced = [t for t in record.get("traced", []) if t["setting"] == setting]
            rows.append((setting, cases, traced[0]["bounds"]["LP"]["of_makespan"] if traced else None))
    columns.sort(key=lambda name: sum(cases[name]["seconds"] for _, cases, _ in rows if name in cases))
    short = {"GPU only (eager, --cpus 0)": "GPU only"}
    out = [header, "| particles | errors of potential, force | " + " | ".join(short.get(c, c) for c in columns) + " | Gflop/s | LP over makespan |",
           "|---|---|" + "---|" * len(columns) + "---|---|"]
    for setting, cases, lp in rows:
        best = min(cases.values(), key=lambda c: c["seconds"])
        seconds = [("**{:.3f}**" if cases[c] is best else "{:.3f}").format(cases[c]["seconds"]) if c in cases else "" for c in columns]
        out.append(f"| {best['distribution']}, `--{setting}` | {best['potential_error']:.1e}, {best['force_error']:.1e} | " + " | ".join(seconds)
                   + f" | {best['gflops']:.0f} | {f'{lp:.1%}' if lp else ''} |")
    return "\n".join(out)


def fmm_several():
    """An evaluation on one and on four GPUs, and how near it comes to the linear program of a recorded one."""
    out = []
    for _, record in load("fmm-cube-30m-*x4.json"):
        out += [f"30,000,000 particles in a cube, accuracy 5, {gpu_of(record)}s of one host, version {record['commit']}:\n",
                "| units | groups | s per evaluation | first | recorded: s, LP over makespan | GPUs compute | wait for data |", "|---|---|---|---|---|---|---|"]
        plain = {}
        for r in record["runs"]:
            if "traced" not in r:
                plain.setdefault((r["gpus"], r["cpu_workers"]), []).append(r)
        traced = {(r["gpus"], r["cpu_workers"]): r for r in record["runs"] if "traced" in r}
        for units in dict.fromkeys([*traced, *plain]):
            t = traced.get(units)
            all_runs = plain.get(units) or [t]
            words = [f"{units[0]} GPU{'s' if units[0] > 1 else ''}" + (f", {units[1]} cores" if units[1] else ""), str(all_runs[0]["tree"]["groups"])]
            later = [s for r in all_runs for s in r["evaluation_seconds"][1:]]
            words += [f"{statistics.median(later):.4f}", f"{all_runs[0]['evaluation_seconds'][0]:.3f}"] if later else ["", ""]
            if t:
                gpus = next(k for k in t["traced"]["kinds"] if k["name"] == "CUDA")
                words += [f"{t['traced']['makespan']:.4f}, {t['traced']['bounds']['LP']['of_makespan']:.1%}",
                          f"{gpus['computing']:.1%}", f"{gpus['waiting for data']:.1%}"]
            else:
                words += ["", "", ""]
            out.append("| " + " | ".join(words) + " |")
    return "\n".join(out)


def fmm_kernels():
    rows = []
    for _, record in load("fmm-p2p-h200.json"):
        rows.append("| P2P on one H200, double | particles per leaf | 10^9 ordered pairs/s | Gflop/s |")
        rows.append("|---|---|---|---|")
        for r in record["runs"]:
            if r["variant"] == "shared256":
                rows.append(f"| {r['leaves']} leaves | {r['per_leaf']} | {r['ordered_pairs_per_s'] * 1e-9:.0f} | {r['gflops']:.0f} |")
        rows.append("")
    for _, record in load("fmm-kernels-h200.json"):
        def rate(wanted, operator, per_leaf, at_once=1):
            for r in record["runs"]:
                if (r["order"], r["coefficients"], r["cells"]) == wanted and r["operator"] == operator and (
                        r["variant"] in ("", "best") and r["particles_per_leaf"] == per_leaf and r["launches_at_once"] == at_once):
                    return f"{r['gflops']}"
            return ""
        rows.append("| Gflop/s on one H200, double, 4096 cells | coefficients | M2L | four M2L at once | P2M | L2P | M2M | L2L |")
        rows.append("|---|---|---|---|---|---|---|---|")
        for wanted in dict.fromkeys((r["order"], r["coefficients"], r["cells"]) for r in record["runs"] if r["cells"] == 4096):
            cells = [rate(wanted, "m2l", 0), rate(wanted, "m2l", 0, 4)] + [rate(wanted, o, 114) for o in ("p2m", "l2p")] + [
                rate(wanted, o, 0) for o in ("m2m", "l2l")]
            if all(cells):
                rows.append(f"| order {wanted[0]} | {wanted[1]} | " + " | ".join(cells) + " |")
        rows.append("")
    return "\n".join(rows).strip()


def fmm_motion():
    """Motions and the energy of a protein beside what they should be."""
    [(_, cluster)], [(_, orbits)] = load("fmm-plummer-100-crossings.json"), load("fmm-kepler-100-periods.json")
    motion, radii = cluster["motion"], cluster["motion"]["radii"]
    crossings = motion["steps"] * motion["dt"] / motion["crossing_time"]
    rows = ["| figure | found | reference |", "|---|---|---|",
            f"| Plummer cluster, {cluster['particles']['count']:,} stars, {motion['steps']:,} steps, {crossings:.0f} crossing times: "
            f"largest relative change of the energy | {motion['energy_drift']:.1e} | less than 1e-04 |",
            f"| the same: relative change of the momentum | {motion['momentum_drift']:.1e} | 0 |"]
    for share, first, last in zip(radii["shares"], radii["first"], radii["last"]):
        rows.append(f"| the same: radius of {share:.0%} of the mass, after and before | {last:.4f} | {first:.4f} |")
    for method, order in (("leapfrog", 2), ("yoshida", 4)):
        drift = [load(f"fmm-kepler-{method}-{steps}.json")[0][1]["motion"]["energy_drift"] for steps in (2000, 4000)]
        rows.append(f"| two bodies, eccentricity 0.9, {method}: order from 2000 to 4000 steps per period | "
                    f"{math.log2(drift[0] / drift[1]):.2f} | {order} |")
    one = load("fmm-kepler-leapfrog-2000.json")[0][1]
    rows.append(f"| two bodies, leapfrog, 2000 steps per period: change of the energy in 100 periods, and in one | "
                f"{orbits['motion']['energy_drift']:.3e} | {one['motion']['energy_drift']:.3e} |")
    (_, pairs), (_, tree) = load("fmm-actin-pairs.json")[0], load("fmm-actin-fmm.json")[0]
    energy = [record["physics"]["potential_energy"] for record in (tree, pairs)]
    rows.append(f"| actin dimer, tree of {tree['tree']['height']} levels, accuracy 5: energy in kcal/mol, and of all pairs | "
                f"{energy[0]:,.3f} | {energy[1]:,.3f} |")
    return "\n".join(rows)


# Ewald 1921 and later; per distance of nearest neighbours
MADELUNG = {"salt": 1.747564594633, "caesium-chloride": 1.762674773071}


def fmm_madelung():
    """Madelung's constants by accuracy."""
    [(_, record)] = load("fmm-periodic.json")
    found = {(line["crystal"], line["accuracy"]): line["madelung"] for line in record["crystals"]}
    rows = ["| `--accuracy` | " + " | ".join(f"{name}, known {known:.12f} | error" for name, known in MADELUNG.items()) + " |",
            "|---|" + "---|---|" * len(MADELUNG)]
    for accuracy in sorted({accuracy for _, accuracy in found}):
        cells = [f"{found[name, accuracy]:.11f} | {abs(found[name, accuracy] / known - 1):.1e}" for name, known in MADELUNG.items()]
        rows.append(f"| {accuracy} | " + " | ".join(cells) + " |")
    return "\n".join(rows)


def fmm_periodic():
    """Errors with one to three periodic directions."""
    [(_, record)] = load("fmm-periodic.json")
    rows = ["| boundaries | error of the potential | error of the force |", "|---|---|---|"]
    for line in record["boxes"]:
        name = f"`--periodic {line['directions']}`" if line["directions"] else "open, beside direct summation"
        rows.append(f"| {name} | {line['potential_error']:.1e} | {line['force_error']:.1e} |")
    return "\n".join(rows)


def fmm_targets():
    """Near pairs, mutual and one way."""
    [(_, record)] = load("fmm-targets.json")
    rows = ["| kernel | mutual: ns per pair of particles | apart: ns per pair of a source and a target | ratio | ratio of one direction |", "|---|---|---|---|---|"]
    for line in record["kernels"]:
        mutual, apart = (1e9 * line[kind]["seconds"] / line[kind]["near_pairs"] for kind in ("mutual", "apart"))
        rows.append(f"| `{line['kernel']}` | {mutual:.2f} | {apart:.2f} | {apart / mutual:.2f} | {2 * apart / mutual:.2f} |")
    return "\n".join(rows)


TABLES = {
    "fmm-targets": fmm_targets,
    "fmm-madelung": fmm_madelung,
    "fmm-periodic": fmm_periodic,
    "fmm-motion": fmm_motion,
    "fmm-cpu": fmm_cpu,
    "fmm-gpu": fmm_gpu,
    "fmm-several": fmm_several,
    "fmm-kernels": fmm_kernels,
}
