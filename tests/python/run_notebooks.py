#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run_notebooks.py NOTEBOOK...: each is stored without output, and runs from the first cell to the last. It shows a
picture, or the page of a recording."""
import pathlib
import sys

import nbclient
import nbformat


def outputs(notebook):
    return [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]


def main():
    for name in sys.argv[1:]:
        notebook = nbformat.read(name, as_version=4)
        nbformat.validate(notebook)
        if outputs(notebook) or any(cell.get("execution_count") for cell in notebook.cells):
            sys.exit(f"{name}: stored with output: remove it")
        client = nbclient.NotebookClient(notebook, timeout=200, kernel_name="python3")
        client.execute(cwd=str(pathlib.Path(name).parent))
        kinds = {kind for output in outputs(notebook) for kind in output.get("data", {})}
        pages = [output for output in outputs(notebook) if "<iframe" in output.get("data", {}).get("text/html", "")]
        if "image/png" not in kinds and not pages:
            sys.exit(f"{name}: shows neither a picture nor a page")
        print(f"{name}: {len(outputs(notebook))} outputs")


main()
