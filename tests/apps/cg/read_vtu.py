#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Prints what VTK's own reader finds in a .vtu file, as JSON. Status 77: VTK's Python modules are missing (python3-vtk9)."""
import json
import sys

try:
    from vtkmodules.vtkCommonCore import vtkDataArray
    from vtkmodules.vtkFiltersVerdict import vtkCellSizeFilter
    from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader
except ImportError as error:
    print(error, file=sys.stderr)
    sys.exit(77)

reader = vtkXMLUnstructuredGridReader()
reader.SetFileName(sys.argv[1])
reader.Update()
grid = reader.GetOutput()


def arrays(data):
    found = {}
    for i in range(data.GetNumberOfArrays()):
        array = data.GetArray(i)
        found[array.GetName()] = {
            "components": array.GetNumberOfComponents(),
            "unit": array.GetInformation().Get(vtkDataArray.UNITS_LABEL()),
            "values": [array.GetTuple(k) for k in range(array.GetNumberOfTuples())],
        }
    return found


sizes = vtkCellSizeFilter()
sizes.SetInputData(grid)
sizes.Update()
volumes = sizes.GetOutput().GetCellData().GetArray("Volume")
units = grid.GetFieldData().GetAbstractArray("units")
json.dump({
    "points": [grid.GetPoint(i) for i in range(grid.GetNumberOfPoints())],
    "cells": grid.GetNumberOfCells(),
    "cell": grid.GetCell(0).GetClassName(),
    "volume": sum(volumes.GetValue(i) for i in range(volumes.GetNumberOfTuples())),
    "at_nodes": arrays(grid.GetPointData()),
    "in_cells": arrays(grid.GetCellData()),
    "units": [units.GetValue(i) for i in range(units.GetNumberOfValues())],
}, sys.stdout)
