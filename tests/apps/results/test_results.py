# SPDX-License-Identifier: Apache-2.0
"""Results as others read them: VTKHDF by VTK's own reader, with the values that VTK's XML reader finds in the XML files
of the same run; series in HDF5 by xarray, by the CF conventions."""
import json
import os
import pathlib
import subprocess

import numpy
import pytest

PROGRAMS = pathlib.Path(os.environ["ASTERISM_PROGRAMS"])
SOURCE = pathlib.Path(os.environ["ASTERISM_SOURCE"])


def run(folder, program, *arguments):
    """What it says to have written is there."""
    done = subprocess.run([PROGRAMS / f"asterism-{program}", *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    names = [line.removeprefix("wrote ") for line in done.stdout.splitlines() if line.startswith("wrote ")]
    assert names and all((folder / name).exists() for name in names), done.stdout


def refused(folder, program, *arguments):
    done = subprocess.run([PROGRAMS / f"asterism-{program}", "--quiet", *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
    return done.stderr


def read(path):
    """What VTK's reader for the file's extension finds."""
    hdf = pytest.importorskip("vtkmodules.vtkIOHDF")
    xml = pytest.importorskip("vtkmodules.vtkIOXML")
    reader = {".vtkhdf": hdf.vtkHDFReader, ".vti": xml.vtkXMLImageDataReader, ".vtp": xml.vtkXMLPolyDataReader,
              ".vtu": xml.vtkXMLUnstructuredGridReader}[path.suffix]()
    reader.SetFileName(str(path))
    reader.Update()
    return reader.GetOutputDataObject(0)


def arrays(data):
    from vtkmodules.util.numpy_support import vtk_to_numpy
    return {data.GetArray(i).GetName(): vtk_to_numpy(data.GetArray(i)) for i in range(data.GetNumberOfArrays())}


def expect_same_image(one, other):
    """Values at points that are the centres of the other's cells."""
    assert one.GetDimensions() == tuple(n - 1 for n in other.GetDimensions()) and one.GetSpacing() == other.GetSpacing()
    numpy.testing.assert_allclose(one.GetOrigin(), numpy.add(other.GetOrigin(), numpy.divide(other.GetSpacing(), 2)), rtol=1e-15)
    of_one, of_other = arrays(one.GetPointData()), arrays(other.GetCellData())
    assert of_one.keys() == of_other.keys() and of_one
    for name, values in of_one.items():
        assert values.dtype == of_other[name].dtype
        numpy.testing.assert_array_equal(values, of_other[name])


def expect_same(one, other):
    """Places and values."""
    assert one.GetNumberOfPoints() == other.GetNumberOfPoints() > 0
    assert one.GetNumberOfCells() == other.GetNumberOfCells() > 0
    for data in ("GetPointData", "GetCellData"):
        of_one, of_other = arrays(getattr(one, data)()), arrays(getattr(other, data)())
        assert of_one.keys() == of_other.keys()
        for name, values in of_one.items():
            assert values.dtype == of_other[name].dtype
            numpy.testing.assert_array_equal(values, of_other[name])
    for i in range(one.GetNumberOfPoints()):
        assert one.GetPoint(i) == other.GetPoint(i)
    for c in range(one.GetNumberOfCells()):
        of_one, of_other = one.GetCell(c), other.GetCell(c)
        assert of_one.GetCellType() == of_other.GetCellType()
        corners = [[cell.GetPointId(k) for k in range(cell.GetNumberOfPoints())] for cell in (of_one, of_other)]
        assert corners[0] == corners[1]


def files_of(folder, name):
    """Times and files of a series, as ParaView finds them."""
    series = json.loads((folder / f"{name}.vtkhdf.series").read_text())
    assert series["file-series-version"] == "1.0"
    return [(entry["time"], folder / entry["name"]) for entry in series["files"]]


LBM = ["--size", "12x10x8", "--steps", "20", "--every", "10", "--gpus", "0"]
FDTD = ["--size", "12x10x8", "--steps", "20", "--every", "10", "--gpus", "0"]
TDBEM = ["--body", "ellipsoid", "--unknowns", "42", "--steps", "20", "--every", "10", "--gpus", "0"]


@pytest.mark.parametrize("program, arguments, option, xml", [("lbm", LBM, "--output", ".vti"), ("fdtd", FDTD, "--output", ".vti"),
                                                             ("tdbem", TDBEM, "--output", ".vtp")])
def test_series(tmp_path, program, arguments, option, xml):
    run(tmp_path, program, *arguments, option, "a.pvd")
    run(tmp_path, program, *arguments, option, "a.vtkhdf")
    found = files_of(tmp_path, "a")
    assert len(found) >= 2 and [time for time, _ in found] == sorted({time for time, _ in found})
    for _, path in found:
        (expect_same_image if xml == ".vti" else expect_same)(read(path), read(path.with_suffix(xml)))


def test_a_series_is_continued(tmp_path):
    run(tmp_path, "lbm", *LBM, "--output", "whole.vtkhdf")
    first = [a if a != "20" else "10" for a in LBM]
    run(tmp_path, "lbm", *first, "--output", "a.vtkhdf", "--checkpoint", "c.h5")
    run(tmp_path, "lbm", *LBM, "--output", "a.vtkhdf", "--restart", "c.h5")
    assert [time for time, _ in files_of(tmp_path, "a")] == [time for time, _ in files_of(tmp_path, "whole")]
    for (_, path), (_, whole) in zip(files_of(tmp_path, "a"), files_of(tmp_path, "whole")):
        expect_same(read(path), read(whole))
    listed = tmp_path / "a.vtkhdf.series"
    text = listed.read_text()
    for broken in ("hello", "{}", '{"files": [1]}', text.replace("a_0000000010", "b_0000000010"), text.replace('"time"', '"tome"')):
        listed.write_text(broken)
        assert "list of files" in refused(tmp_path, "lbm", *LBM, "--output", "a.vtkhdf", "--restart", "c.h5")


def test_structure(tmp_path):
    with open(tmp_path / "part.msh", "w", encoding="utf-8") as mesh:
        subprocess.run([SOURCE / "examples/cg/structured_mesh.py", "beam", "200", "30", "50", "4", "2", "3"], stdout=mesh, check=True)
    for element in ("p1", "p2"):
        (tmp_path / "part.toml").write_text(
            f'[mesh]\nfile = "part.msh"\nunit = "cm"\nelement = "{element}"\n[[materials]]\nyoung = 2e9\npoisson = 0\n'
            '[[supports]]\ngroup = "x0"\nfixed = "xyz"\n[[loads]]\nname = "pull"\ngroup = "x1"\ntraction = [3e6, 0, 0]\n', encoding="utf-8")
        for name in ("part.vtu", "part.vtkhdf"):
            run(tmp_path, "cg", "--model", "part.toml", "--output", name, "--cpus", "1", "--gpus", "0")
        expect_same(read(tmp_path / "part.vtkhdf"), read(tmp_path / "part.vtu"))
    assert "unstructured grid" in refused(tmp_path, "cg", "--model", "part.toml", "--output", "part.stl")


@pytest.mark.parametrize("more", [[], ["--steps", "2", "--dt", "0.01"]])
def test_particles(tmp_path, more):
    command = ["--particles", "500", "--accuracy", "3", "--cpus", "1", "--gpus", "0", *more]
    for name in ("p.vtp", "p.vtkhdf"):
        run(tmp_path, "fmm", *command, "--output", name)
    expect_same(read(tmp_path / "p.vtkhdf"), read(tmp_path / "p.vtp"))


@pytest.mark.parametrize("program, arguments, length, time, fields",
                         [("lbm", LBM, "1", "1", {"rho": "1", "velocity": "1"}), ("fdtd", FDTD, "m", "s", {"E": "V/m", "H": "A/m"})])
def test_xarray_reads_series(tmp_path, program, arguments, length, time, fields):
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("h5netcdf")
    run(tmp_path, program, *arguments, "--output", "a.h5")
    run(tmp_path, program, *arguments, "--output", "a.vtkhdf")
    for when, path in files_of(tmp_path, "a"):
        image = read(path)
        with xarray.open_dataset(tmp_path / "a.h5", group=f"step_{path.stem[2:]}", engine="h5netcdf") as data:
            assert set(data.data_vars) == set(fields)
            assert float(data["time"]) == when and data["time"].attrs["units"] == time
            for axis, n in zip("xyz", (12, 10, 8)):
                spacing = image.GetSpacing()["xyz".index(axis)]
                origin = image.GetOrigin()["xyz".index(axis)]
                numpy.testing.assert_allclose(data[axis], origin + numpy.arange(n) * spacing, rtol=1e-14)
                assert data[axis].attrs["units"] == length and data[axis].attrs["axis"] == axis.upper()
            for name, unit in fields.items():
                field = data[name]
                assert field.dims[:3] == ("z", "y", "x") and field.attrs["units"] == unit
                values = arrays(image.GetPointData())[name]
                numpy.testing.assert_array_equal(field.values.reshape(values.shape), values)
                assert numpy.abs(values).max() > 0
    netcdf = pytest.importorskip("netCDF4")
    with netcdf.Dataset(tmp_path / "a.h5") as data:
        assert data.Conventions == "CF-1.8" and len(data.groups) == len(files_of(tmp_path, "a"))
