# SPDX-License-Identifier: Apache-2.0
"""Records of measurements, and what several tables say of them."""
import json
import pathlib
import re

root = pathlib.Path(__file__).resolve().parent.parent.parent
results = root / "experiments" / "records"


def load(pattern):
    return [(path.name, json.loads(path.read_text())) for path in sorted(results.glob(pattern))]


def gpu_of(record):
    """Model of its GPUs without the vendor's name: H200."""
    return re.search(r"\(NVIDIA (\w+)", record["starpu"]["gpus"][0])[1]


def machine(record):
    workers = record["starpu"]
    units = f"{workers['cpu_workers']} CPU workers" + (
        f", {len(set(re.match('[A-Z]+ [0-9]+', g)[0] for g in workers['gpus']))} GPU" if workers["gpus"] else "")
    gpu = re.search(r"\((NVIDIA \w+)", workers["gpus"][0]) if workers["gpus"] else None
    name = ", ".join(n for n in (record["machine"]["processor"], gpu[1] if gpu else "") if n)
    return f"{units}{' (' + name + ')' if name else ''}, version {record.get('commit', record['version'])}"


def reproduced(record):
    """Figures of a record of asterism-reproduce: by section and name, the paper's and ours by column."""
    return {(s["title"], f["name"]): (f["paper"], [o["value"] for o in f["ours"]], [o["difference"] for o in f["ours"]])
            for s in record["comparison"]["sections"] for f in s["figures"]}


