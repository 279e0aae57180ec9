# SPDX-License-Identifier: Apache-2.0
"""The documentation, for Sphinx with MyST: scripts/docs builds it."""
import os
import pathlib
import re
import subprocess

from docutils import nodes

root = pathlib.Path(__file__).resolve().parent.parent
project = "Asterism"
copyright = "The Asterism developers"
author = "The Asterism developers"
release = re.search(r"project\(asterism VERSION (\S+)", (root / "CMakeLists.txt").read_text()).group(1)
version = release

extensions = ["myst_parser", "sphinx_copybutton"]
copybutton_prompt_text = "$ "
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
nitpicky = True

html_theme = "furo"
html_title = f"Asterism {release}"
html_show_sourcelink = False
html_static_path = ["style"]
html_css_files = ["asterism.css"]


def formula(text, display):
    """LaTeX as MathML, by KaTeX: pages need no network."""
    program = """
      const text = require("fs").readFileSync(0, "utf8");
      const options = { output: "mathml", displayMode: process.argv[1] === "display", strict: "error" };
      process.stdout.write(require("katex").renderToString(text, options));"""
    environment = {**os.environ, "NODE_PATH": "/usr/share/nodejs"}
    return subprocess.run(["node", "-e", program, "display" if display else "inline"], input=text, env=environment,
                          capture_output=True, text=True, check=True).stdout


def visit_math(translator, node):
    translator.body.append(formula(node.astext(), False))
    raise nodes.SkipNode


def visit_math_block(translator, node):
    translator.body.append(f'<div class="math">{formula(node.astext(), True)}</div>')
    raise nodes.SkipNode


def setup(app):
    app.add_html_math_renderer("katex", (visit_math, None), (visit_math_block, None))


html_math_renderer = "katex"
