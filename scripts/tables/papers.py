# SPDX-License-Identifier: Apache-2.0
"""What the papers print, and what is simulated or computed here. Tables by the name of their place in the text."""
import re
import tomllib

from tables.records import load, reproduced, root

PAPERS = {"cg": "Conjugate gradient", "fmm": "Fast multipole", "lbm": "Lattice Boltzmann",
          "fdtd": "Finite differences", "tdbem": "Boundary elements"}  # as the headings of docs/reproductions.md
NEAR = 10  # percent, or points where a figure is a percentage


class Printed:
    """A number that a paper prints."""

    def __init__(self, experiment, section, name, paper, why, found):
        self.experiment, self.place, self.why, self.paper = experiment, f"{section['title']}: {name}", why, paper
        unit = section.get("unit", "")
        self.percentage = unit == "%" or ", %" in name
        self.step = 1 if section.get("rounded_down") else 0  # 4 is then printed of 4 to 5
        self.unit = f", {unit}" if unit else ""
        self.ours = found[1][0]

    @property
    def apart(self):
        """In percent or points; none where there is nothing to compare."""
        if self.ours is None:
            return None
        paper = min(max(self.ours, self.paper), self.paper + self.step)  # the nearest that may have been printed so
        if self.percentage:
            return self.ours - paper
        return 100 * (self.ours - paper) / abs(paper) if paper else 100 * float(self.ours != 0)

    @property
    def is_input(self):
        """Ours are computed from it, so that agreement says nothing."""
        return self.why.startswith("input")

    @property
    def near(self):
        return self.apart is not None and abs(self.apart) <= NEAR

    @property
    def reason(self):
        """What its row says of the difference."""
        return "" if self.near and not self.is_input else self.why

    def row(self, last):
        """`last`: the reason said above it."""
        ours = "none" if self.ours is None else f"{self.ours:.4g}"
        apart = "" if self.apart is None else f"{self.apart:+.1f} {'points' if self.percentage else '%'}"
        why = "as above" if self.reason and self.reason == last and len(last) > 30 else self.reason
        return f"| `{self.experiment}` | {self.place}{self.unit} | {self.paper:.4g} | {ours} | {apart} | {why} |"


def experiments(paper):
    """Names of the experiments of a paper, as the paper numbers them."""
    names = [path.stem for path in (root / "experiments" / "papers").glob(f"{paper}-*.toml")]
    return sorted(names, key=lambda name: (re.sub("[0-9.]+", "", name), [int(n) for n in re.findall("[0-9]+", name)]))


def printed(paper):
    """All numbers that a paper prints of an experiment, but those that ours are computed from."""
    numbers = []
    for experiment in experiments(paper):
        file = tomllib.loads((root / "experiments" / "papers" / f"{experiment}.toml").read_text())
        found = reproduced(load(f"reproduce-{experiment}.json")[0][1]) if load(f"reproduce-{experiment}.json") else {}
        for section in file["section"]:
            for name, value, *why in section["figures"]:
                if value == "not given":
                    continue
                of_record = found.get((section["title"], name), (value, [None], [None]))
                if of_record[0] != value:
                    raise SystemExit(f"write-tables: reproduce-{experiment}.json has {of_record[0]}, the paper {value}: {name}")
                numbers.append(Printed(experiment, section, name, value, *(why or [section.get("why", "unknown")]), of_record))
    return numbers


def table_of(paper):
    head = ["| experiment | | paper | ours | difference | why |", "|---|---|---|---|---|---|"]
    rows, last = head, None
    for number in printed(paper):
        rows.append(number.row(last))
        last = number.reason or last
    return "\n".join(rows)


def counts():
    """How many numbers of each paper are near."""
    out = [f"| paper | printed numbers | within {NEAR} % or {NEAR} points | beyond, for a known reason | beyond, unknown | not run | inputs, not counted |",
           "|---|---|---|---|---|---|---|"]

    def row(title, numbers):
        counted = [n for n in numbers if not n.is_input]
        near = sum(n.near for n in counted)
        none = sum(n.ours is None for n in counted)
        unknown = sum(n.ours is not None and not n.near and n.why.startswith("unknown") for n in counted)
        cells = [len(counted), f"{near} ({100 * near / len(counted):.0f} %)", len(counted) - near - none - unknown, unknown, none,
                 len(numbers) - len(counted)]
        out.append(f"| {title} | " + " | ".join(map(str, cells)) + " |")

    for paper, title in PAPERS.items():
        row(f"[{title}](#{title.lower().replace(' ', '-')})", printed(paper))
    row("all", [number for paper in PAPERS for number in printed(paper)])
    return "\n".join(out)


TABLES = {"papers-counts": counts, **{f"paper-{paper}": lambda paper=paper: table_of(paper) for paper in PAPERS}}
