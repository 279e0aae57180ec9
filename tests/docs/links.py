#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the repository's own pages name: links that are no address on the web are files that exist, their part after # a
heading; paths of sources in backticks exist; the README's task flow is that of examples/heat; one version everywhere.

tests/docs/links.py
"""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDERS = "base|io|runtime|codelets|taskflows|schedulers|bounds|traces|apps|data|experiments|examples|tests|docs|scripts|cmake"


def anchors(page):
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.S | re.M)
    titles = re.findall(r"^#+ (.*)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


def included(page):
    """The page, and those that it includes: their headings are its own."""
    names = re.findall(r"```\{include\} (\S+)", page.read_text())
    return [page] + [(page.parent / name).resolve() for name in names]


def main():
    left_out = re.compile(r"(\.|build|bundle|out/|install/)")
    tracked = sorted(name for name in (str(page.relative_to(root)) for page in root.rglob("*.md")) if not left_out.match(name))
    wrong = []
    for name in tracked:
        page = root / name
        text = page.read_text()
        prose = re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)
        for target in re.findall(r"\]\(([^)\s]+)\)", prose):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            to = (page.parent / path).resolve() if path else page
            if not to.exists():
                wrong.append(f"{name}: ({target}): there is no such file")
            elif anchor and not any(anchor in anchors(part) for part in included(to)):
                wrong.append(f"{name}: ({target}): there is no such heading")
        for path in re.findall(rf"`((?:{FOLDERS})/[\w./-]+)`", prose):
            places = (root, root / "examples/heat")  # the tutorial's paths are those of its own folder
            if name != "data/README.md" and not any(list(place.glob(path.rstrip("/") + "*")) for place in places):
                wrong.append(f"{name}: `{path}` does not exist")
    flow = (root / "examples/heat/taskflows/heat/flow.cpp").read_text()
    for block in re.findall(r"^```cpp\n(.*?)^```", (root / "README.md").read_text(), re.S | re.M):
        if block not in flow:
            wrong.append("README.md: the task flow is not that of examples/heat")
    version = re.search(r"project\(asterism VERSION (\S+)", (root / "CMakeLists.txt").read_text()).group(1)
    for name, line in (("CITATION.cff", f"\nversion: {version}\n"), ("CHANGELOG.md", f"# Changes\n\n## {version}\n")):
        if line not in (root / name).read_text():
            wrong.append(f"{name}: is not of version {version}, as CMakeLists.txt")
    print("\n".join(wrong) or f"{len(tracked)} pages, all links good")
    sys.exit(1 if wrong else 0)


main()
