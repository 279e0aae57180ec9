# SPDX-License-Identifier: Apache-2.0
"""What the bench-* scripts share: programs, their records, the commit they are of."""
import json
import pathlib
import shlex
import subprocess
import sys
import tempfile


def stop(message):
    """Ends this script with one line on stderr."""
    sys.exit(f"{pathlib.Path(sys.argv[0]).name}: error: {message}")


def commit():
    """Of the bundle (scripts/bundle) or the repository around this folder; empty without one."""
    here = pathlib.Path(__file__).resolve().parent
    bundled = here.parent / "commit"
    if bundled.exists():
        return bundled.read_text().strip()
    done = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False, cwd=here)
    return done.stdout.strip()


def programs(build):
    """The folder of the programs: of a build, or of a bundle (scripts/bundle), where this script lies beside them."""
    here = pathlib.Path(__file__).resolve().parent
    folder = here if (here / "asterism-cg").exists() else pathlib.Path(build).resolve() / "bin"
    if not any(folder.glob("asterism-*")):
        stop(f"{folder}: no programs there; build them, or say where with --build")
    return folder


def run(folder, command, *further, launcher=()):
    """The JSON record of a solver's run: `command` is its name and arguments, `launcher` what starts it, if anything."""
    with tempfile.TemporaryDirectory() as work:
        record = pathlib.Path(work) / "run.json"
        whole = [*launcher, str(folder / command[0]), *command[1:], *further, "--quiet", "--json", str(record)]
        done = subprocess.run(whole, capture_output=True, text=True, check=False)
        if done.returncode != 0 or not record.exists():
            lines = [line for line in done.stderr.splitlines() if "error:" in line] or done.stderr.splitlines()[-1:]
            stop(f"{shlex.join([*launcher, *command, *further])}: status {done.returncode}: {lines[-1] if lines else ''}")
        return json.loads(record.read_text())


def write(path, record):
    """As JSON, one level of indentation."""
    pathlib.Path(path).write_text(json.dumps(record, indent=1) + "\n")
