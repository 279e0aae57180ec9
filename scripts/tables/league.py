# SPDX-License-Identifier: Apache-2.0
"""The league of schedulers (scripts/schedules/league) and the graphs that it runs."""
import statistics

from tables.records import load

GRAPHS = {
    "cg-11pts-64": "conjugate gradient, 12 block-rows", "cg-11pts-256-3": "conjugate gradient, 3 block-rows",
    "cg-11pts-256-4": "conjugate gradient, 4 block-rows", "cholesky-16": "StarPU's tile Cholesky, 16 x 16 tiles of 960",
    "fdtd-64": "finite differences in time domain, 8 strips", "fmm-cube": "fast multipole method, uniform cube",
    "fmm-ellipsoid": "fast multipole method, ellipsoid's surface", "lbm-128": "lattice Boltzmann, 16 sub-domains",
    "lu-12": "StarPU's tile LU, 12 x 12 tiles of 960", "tdbem-642": "time-domain boundary elements",
    "layered": "generated: random layers", "fork-join": "generated: fork and join", "wavefront": "generated: square grid",
    "tree": "generated: divide and combine",
}
COLOURS = ["#1b6ca8", "#d1495b", "#3a7d44", "#edae49", "#6d4c9f", "#00798c", "#8d5524", "#555555", "#e76f9f", "#7fb069",
           "#9a031e", "#0f4c5c", "#c77dff", "#ff7f11", "#2a9d8f"]
PROFILE_END = 4.0  # ratio to the best at the right end of the picture


def record():
    found = load("league.json")
    return found[0][1] if found else None


GENERATED = {"layered", "fork-join", "wavefront", "tree"}
PAGE = "league-cases.md"  # every case, beside the page that these tables are in


def title(case):
    return f"{case['graph']} on {case['machine']}"


def link(case, text=None):
    """To the section of a case, by the anchor that GitHub and Sphinx make of its title."""
    return f"[{text or title(case)}]({PAGE}#{title(case).replace(',', '').replace(' ', '-')})"


def command(case):
    """Makes the runs of a case: durations of a recording's own machine count only where that is replayed."""
    platform = case["machine"].split(",")[0]
    order = "models" if case["graph"] in GENERATED else "platform,rates,models" if platform == "nehalem-m2070" else "platform,rates,bytes"
    limit = f"STARPU_LIMIT_CUDA_MEM={case['gpu_memory_mib']} " if "gpu_memory_mib" in case else ""
    return f"{limit}asterism-replay experiments/graphs/{case['graph']} --simulate {platform} --order {order} --scheduler NAME"


def measured(league):
    return [case for case in league["cases"] if "runs" in case]


def seconds(value):
    return f"{value:.3g} s" if value >= 1 else f"{value * 1e3:.3g} ms" if value >= 1e-3 else f"{value * 1e6:.3g} us"


def ratios(league):
    """Scheduler: per case the makespan over the best of all schedulers; infinite where the run failed."""
    out = {}
    for case in measured(league):
        best = min(t for t in case["runs"].values() if t is not None)
        for scheduler, time in case["runs"].items():
            out.setdefault(scheduler, []).append(float("inf") if time is None else time / best)
    return out


def over_bound(league, scheduler):
    return [case["runs"][scheduler] / case["lower"] for case in measured(league) if case["runs"].get(scheduler) is not None]


def graphs():
    """The archive's facts, durations of the first machine that runs the graph."""
    league = record()
    rows = ["| graph | of | tasks | dependencies | data | depth | on | work | critical path | parallelism |", "|---|---|---|---|---|---|---|---|---|---|"]
    known = {}
    for case in measured(league):
        known.setdefault(case["graph"], case)
    for name, text in GRAPHS.items():
        if name not in known:
            continue
        facts = known[name]["facts"]
        rows.append(f"| `{name}` | {text} | {facts['tasks']} | {facts['dependencies']} | {facts['data']}, {facts['bytes'] / 1e6:.3g} MB | "
                    f"{facts['depth']} | {known[name]['machine']} | {seconds(facts['work_seconds'])} | {seconds(facts['path_seconds'])} | "
                    f"{facts['parallelism']:.1f} |")
    return "\n".join(rows)


def standings():
    league = record()
    to_best = ratios(league)
    rows = ["| scheduler | median to the bound | median to the best run | within 10 % of it | worst to the best run | where | failed |",
            "|---|---|---|---|---|---|---|"]
    cases = measured(league)
    for scheduler in sorted(to_best, key=lambda s: statistics.median(to_best[s])):
        values = to_best[scheduler]
        worst = max((v, i) for i, v in enumerate(values) if v != float("inf"))
        at = cases[worst[1]]
        rows.append(f"| [`{scheduler}`]({PAGE}#ratios-to-the-best-run) | {statistics.median(over_bound(league, scheduler)):.2f} | {statistics.median(values):.2f} | "
                    f"{sum(v <= 1.1 for v in values) / len(values):.0%} | {worst[0]:.1f} | {link(at)} | "
                    f"{sum(v == float('inf') for v in values) or ''} |")
    return "\n".join(rows)


def intervals():
    """Per machine and graph: the interval of the optimum and the best scheduler."""
    league = record()
    rows = ["| machine | graph | optimum at least | best schedule known | apart | best scheduler | to the bound |", "|---|---|---|---|---|---|---|"]
    for case in measured(league):
        time, best = min((t, s) for s, t in case["runs"].items() if t is not None)
        limited = "gpu_memory_mib" in case
        # a schedule made before the run knows no limits of memory
        upper, by = min([(time, "that run")] + ([] if limited else [(case["schedule"]["seconds"], case["schedule"]["by"])]))
        memory = f" ({case['gpu_memory_mib']} MiB a GPU)" if limited else ""
        rows.append(f"| {case['machine']}{memory} | {link(case, case['graph'])} | {seconds(case['lower'])}, {case['lower_by']} | {seconds(upper)}, {by} | "
                    f"{upper / case['lower'] - 1:.1%} | `{best}` | {time / case['lower']:.2f} |")
    for case in league["cases"]:
        if "left_out" in case:
            rows.append(f"| {case['machine']} | {case['graph']} | no durations known | | | | |")
    return "\n".join(rows)


def plain():
    """Per machine and graph: by how much the bound is above the greater of LP and the critical path."""
    rows = ["| machine | graph | LP | critical path | our bound | by | above the greater of the two |", "|---|---|---|---|---|---|---|"]
    for case in measured(record()):
        if "gpu_memory_mib" not in case and "lp" in case:
            rows.append(f"| {case['machine']} | {link(case, case['graph'])} | {seconds(case['lp'])} | {seconds(case['path'])} | {seconds(case['lower'])} | "
                        f"{case['lower_by']} | {case['lower'] / max(case['lp'], case['path']) - 1:.1%} |")
    return "\n".join(rows)


def apart():
    """The wide intervals, and those of the same graphs with copies that take no time and without cores."""
    rows = ["| machine | graph | apart | copies that take no time | no cores | busy in the best schedule |", "|---|---|---|---|---|---|"]

    def interval(case, name):
        other = case["apart"].get(name)
        return f"{seconds(other['lower'])} to {seconds(other['upper'])}, {other['upper'] / other['lower'] - 1:.1%}" if other else "cannot run"

    for case in measured(record()):
        if "gpu_memory_mib" in case or not case.get("apart"):
            continue
        busy = case["busy"]
        gpus = ", ".join(f"{share:.0%}" for name, share in busy.items() if name.startswith("kind") and name != "kind 0")
        links = {"from main memory": "links to them", "to main memory": "links from them", "between GPUs": "links between them", "shared": "shared rate"}
        rows.append(f"| {case['machine']} | {link(case, case['graph'])} | {seconds(case['lower'])} to {seconds(case['schedule']['seconds'])}, "
                    f"{case['schedule']['seconds'] / case['lower'] - 1:.1%} | {interval(case, 'instant copies')} | {interval(case, 'no cores')} | "
                    f"cores {busy.get('kind 0', 0):.0%}, GPUs {gpus}; {', '.join(f'{text} {busy[name]:.0%}' for name, text in links.items() if name in busy)} |")
    return "\n".join(rows)


def shares():
    """Per case and scheduler: the makespan over that of the best scheduler."""
    league = record()
    rows = ["| case | " + " | ".join(f"`{s}`" for s in league["schedulers"]) + " |", "|---|" + "---|" * len(league["schedulers"])]
    for case in measured(league):
        best = min(t for t in case["runs"].values() if t is not None)
        row = [f"{case['runs'][s] / best:.2f}" if case["runs"].get(s) is not None else "failed" for s in league["schedulers"]]
        rows.append(f"| {link(case)} | {' | '.join(row)} |")
    return "\n".join(rows)


def cases():
    """A section for each case: the command, the interval, what every bound says and every scheduler's makespan."""
    league = record()
    text = []
    for case in measured(league):
        best = min(t for t in case["runs"].values() if t is not None)
        bounds = "; ".join(f"{name} {seconds(value)}" for name, value in sorted(case.get("bounds", {}).items(), key=lambda item: -item[1]) if value > 0)
        text += [f"## {title(case)}", "", f"`{command(case)} --optimum`", "",
                 f"At least {seconds(case['lower'])} by {case['lower_by']}; best schedule made before the run: {seconds(case['schedule']['seconds'])}, "
                 f"{case['schedule']['by']} (version {case['commit']})." + (f" Of schedules shorter than it the bounds say: {bounds}." if bounds else ""), "",
                 "| scheduler | makespan | to the bound | to the best run |", "|---|---|---|---|"]
        for scheduler, time in sorted(case["runs"].items(), key=lambda item: (item[1] is None, item[1])):
            text.append(f"| `{scheduler}` | {case['failed'].get(scheduler, '').split('error: ')[-1]} | | |" if time is None else
                        f"| `{scheduler}` | {seconds(time)} | {time / case['lower']:.2f} | {time / best:.2f} |")
        for scheduler, seen in league["worst"].items():
            if (seen["machine"], seen["graph"]) == (case["machine"], case["graph"]) and "kinds" in seen:
                text += ["", f"Traced with `{scheduler}` (`--trace DIR`): {reason(seen)}; {seen['bytes'] / 1e9:.3g} GB copied."]
        text.append("")
    return "\n".join(text).rstrip()


def reason(seen):
    """What the trace of the worst run shows, in words."""
    kinds = seen.get("kinds", {})
    gpus = [k for name, k in kinds.items() if name != "CPU"]
    parts = []
    if gpus:
        units = sum(k["units"] for k in gpus)
        share = {key: sum(k[key] * k["units"] for k in gpus) / units for key in ("computing", "waiting for data", "idle")}
        parts.append(f"GPUs compute {share['computing']:.0%}, wait for data {share['waiting for data']:.0%}, idle {share['idle']:.0%}")
    if "CPU" in kinds:
        parts.append(f"cores compute {kinds['CPU']['computing']:.0%}")
    return "; ".join(parts)


def losses():
    league = record()
    rows = ["| scheduler | its worst case | in that run | copied |", "|---|---|---|---|"]
    for scheduler in league["schedulers"]:
        seen = league["worst"].get(scheduler)
        if not seen or "failed" in seen:
            continue
        copied = f"{seen['bytes'] / 1e9:.2f} GB" if seen["bytes"] >= 1e8 else f"{seen['bytes'] / 1e6:.3g} MB"
        rows.append(f"| `{scheduler}` | {link(seen)} | {reason(seen)} | {copied} |")
    return "\n".join(rows)


def failures():
    league = record()
    rows = []
    for case in measured(league):
        for scheduler, text in case["failed"].items():
            rows.append(f"- `{scheduler}`, {link(case)}: {text.split('error: ')[-1]}")
    return "\n".join(rows) or "No run failed."


def profile():
    """Performance profile (Dolan, More, Math. Programming 91, 2002) as SVG: the share of cases in which a scheduler is
    within a ratio of the best."""
    league = record()
    to_best = ratios(league)
    order = sorted(to_best, key=lambda s: statistics.median(to_best[s]))
    width, height, left, right, top, bottom = 860, 430, 60, 190, 30, 50
    across, up = width - left - right, height - top - bottom

    def x(ratio):
        return left + across * (ratio - 1) / (PROFILE_END - 1)

    def y(share):
        return top + up * (1 - share)

    svg = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="13">',
           f'<rect width="{width}" height="{height}" fill="white"/>',
           f'<text x="{left}" y="18" font-size="15">Share of {len(next(iter(to_best.values())))} cases within a ratio of the best scheduler</text>']
    for k in range(5):
        svg.append(f'<line x1="{left}" y1="{y(k / 4):.1f}" x2="{left + across}" y2="{y(k / 4):.1f}" stroke="#ddd"/>')
        svg.append(f'<text x="{left - 8}" y="{y(k / 4) + 4:.1f}" text-anchor="end">{k * 25} %</text>')
    for k in range(7):
        ratio = 1 + k * (PROFILE_END - 1) / 6
        svg.append(f'<text x="{x(ratio):.1f}" y="{top + up + 18}" text-anchor="middle">{ratio:g}</text>')
    svg.append(f'<text x="{left + across / 2}" y="{height - 12}" text-anchor="middle">makespan over that of the best scheduler of the case</text>')
    for k, scheduler in enumerate(order):
        values = sorted(v for v in to_best[scheduler] if v <= PROFILE_END)
        points, share = [(1.0, 0.0)], 0.0
        for v in values:
            points.append((v, share))
            share += 1 / len(to_best[scheduler])
            points.append((v, share))
        points.append((PROFILE_END, share))
        path = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in points)
        dashed = ' stroke-dasharray="6 3"' if k % 2 else ""
        svg.append(f'<polyline points="{path}" fill="none" stroke="{COLOURS[k % len(COLOURS)]}" stroke-width="2"{dashed}><title>{scheduler}</title></polyline>')
        line = top + 10 + k * 24
        svg.append(f'<line x1="{left + across + 14}" y1="{line}" x2="{left + across + 40}" y2="{line}" stroke="{COLOURS[k % len(COLOURS)]}" stroke-width="2"{dashed}/>')
        svg.append(f'<text x="{left + across + 46}" y="{line + 4}">{scheduler}</text>')
    svg.append("</svg>")
    return "\n".join(svg) + "\n"


TABLES = {"league-graphs": graphs, "league-standings": standings, "league-intervals": intervals, "league-losses": losses,
          "league-failures": failures, "league-plain": plain, "league-apart": apart, "league-shares": shares, "league-cases": cases}
