# SPDX-License-Identifier: Apache-2.0
"""Makes a wheel of the Python package for `pip install .` (PEP 517), with CMake and nothing else.

    pip install --no-build-isolation .                                        scripts/build configures and builds
    pip install --no-build-isolation --config-settings preset=cpu .           without CUDA
    pip install --no-build-isolation --config-settings build-dir=build/ci .   what is built there

The wheel has the package and, in asterism/lib, the libraries that it loads: Asterism, its schedulers and a StarPU that is
not the system's; in asterism/bin the programs, where they are built.
"""
import base64
import hashlib
import importlib.util
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    settings = {"preset": "cuda", "build-dir": "", **(config_settings or {})}
    unknown = set(settings) - {"preset", "build-dir"}
    if unknown:
        sys.exit(f"asterism: setting {min(unknown)}: expected preset or build-dir")
    if importlib.util.find_spec("numpy") is None:
        sys.exit("asterism: the build needs NumPy (Debian: python3-numpy), and pip install --no-build-isolation to see it")
    build = pathlib.Path(settings["build-dir"] or built(settings["preset"])).resolve()
    version = re.search(r"^project\(asterism VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    tag = f"{python}-{python}-{re.sub('[-.]', '_', sysconfig.get_platform())}"
    with tempfile.TemporaryDirectory() as work:
        files = {**package(build, pathlib.Path(work)), **description(version, tag)}
        name = f"asterism-{version}-{tag}.whl"
        write(pathlib.Path(wheel_directory, name), files, f"asterism-{version}.dist-info/RECORD")
    return name


def built(preset):
    """The build folder, after scripts/build."""
    command = [ROOT / "scripts" / "build", preset, f"-DASTERISM_PYTHON={sys.executable}", "programs", "simulated_programs"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit("asterism: scripts/build failed")
    return done.stdout.strip()


def package(build, work):
    """What the wheel holds, as {name in the wheel: file}: an installation within the package's folder."""
    prefix = work / "asterism"
    for component in ("library", "programs"):
        done = subprocess.run(["cmake", "--install", build, "--component", component, "--strip", "--prefix", prefix],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            sys.exit(f"asterism: {build} cannot be installed: {done.stdout[-2000:]}")
    module = next(prefix.glob(f"*/python3/dist-packages/asterism/_asterism{sysconfig.get_config_var('EXT_SUFFIX')}"), None)
    if module is None:
        sys.exit(f"asterism: {build} has no package for {sys.executable}: it needs pybind11 and the headers of Python (Debian: "
                 "pybind11-dev python3-dev)")
    shutil.copytree(module.parent, prefix, dirs_exist_ok=True)
    library = module.parents[3]
    for folder in (prefix / "include", library / "cmake", library / "python3"):
        shutil.rmtree(folder)
    # a wheel has no links: of the names of a shared library it holds the one that is asked for, libname.so.1
    names = {}
    for path in sorted(prefix.rglob("*"), key=lambda path: (path.suffix == ".so", len(path.name))):
        if path.is_file():
            names.setdefault(path.resolve(), path)
    return {str(path.relative_to(work)): path.read_bytes() for path in names.values()}


def description(version, tag):
    """The files of .dist-info, but RECORD."""
    folder = f"asterism-{version}.dist-info/"
    return {f"{folder}WHEEL": f"Wheel-Version: 1.0\nGenerator: asterism\nRoot-Is-Purelib: false\nTag: {tag}\n".encode(),
            f"{folder}METADATA": f"Metadata-Version: 2.1\nName: asterism\nVersion: {version}\n"
                                 "Summary: Task-based numerical methods over StarPU\nLicense: Apache-2.0\n"
                                 "Requires-Python: >=3.9\nRequires-Dist: numpy\n".encode(),
            f"{folder}LICENSE": (ROOT / "LICENSE").read_bytes()}


def write(wheel, files, record):
    lines = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if content.startswith(b"\x7fELF") else 0o100644) << 16
            archive.writestr(entry, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            lines.append(f"{name},sha256={digest},{len(content)}\n")
        archive.writestr(record, "".join(lines) + f"{record},,\n")
