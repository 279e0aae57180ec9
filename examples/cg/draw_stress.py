#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A picture of a .vtu file of asterism-cg --model: its surface, displaced, in the colours of the von Mises stress.

draw_stress.py FILE.vtu PICTURE.png FACTOR LARGEST [CAMERA_X CAMERA_Y CAMERA_Z]
    FACTOR: of the displacement that is drawn; LARGEST: stress of the last colour, Pa; the direction from where it is seen.
Needs VTK (Debian: python3-vtk9) and a display; where there is none, xvfb-run (Debian: xvfb, xauth).
"""
import os
import shutil
import sys

from vtkmodules import vtkInteractionStyle, vtkRenderingFreeType, vtkRenderingOpenGL2  # noqa: F401: they register themselves
from vtkmodules.vtkCommonCore import vtkLookupTable
from vtkmodules.vtkFiltersCore import vtkPolyDataNormals
from vtkmodules.vtkFiltersGeneral import vtkWarpVector
from vtkmodules.vtkFiltersGeometry import vtkDataSetSurfaceFilter
from vtkmodules.vtkIOImage import vtkPNGWriter
from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader
from vtkmodules.vtkRenderingAnnotation import vtkScalarBarActor
from vtkmodules.vtkRenderingCore import vtkActor, vtkPolyDataMapper, vtkRenderer, vtkRenderWindow, vtkTextActor, vtkWindowToImageFilter

if len(sys.argv) not in (5, 8):
    sys.exit(__doc__)
if not os.environ.get("DISPLAY"):  # VTK would abort
    if not shutil.which("xvfb-run"):
        sys.exit("draw_stress.py: error: no display, and no xvfb-run (Debian: xvfb, xauth) that gives one")
    os.execvp("xvfb-run", ["xvfb-run", "-a", sys.executable, *sys.argv])
source, picture, factor, largest = sys.argv[1], sys.argv[2], float(sys.argv[3]), float(sys.argv[4])
seen_from = [float(c) for c in sys.argv[5:]] or [-0.45, -0.75, 0.45]

reader = vtkXMLUnstructuredGridReader()
reader.SetFileName(source)
warp = vtkWarpVector()
warp.SetInputConnection(reader.GetOutputPort())
warp.SetInputArrayToProcess(0, 0, 0, 0, "displacement")
warp.SetScaleFactor(factor)
surface = vtkDataSetSurfaceFilter()
surface.SetInputConnection(warp.GetOutputPort())
surface.SetNonlinearSubdivisionLevel(2)
normals = vtkPolyDataNormals()
normals.SetInputConnection(surface.GetOutputPort())
normals.SetFeatureAngle(40)

colours = vtkLookupTable()
# from pale yellow to dark violet, darker all the way: also legible without colours
colours.SetHueRange(0.15, 0.75)
colours.SetSaturationRange(0.5, 1)
colours.SetValueRange(1, 0.35)
colours.SetNumberOfTableValues(64)
colours.Build()
mapper = vtkPolyDataMapper()
mapper.SetInputConnection(normals.GetOutputPort())
mapper.SetScalarModeToUsePointFieldData()
mapper.SelectColorArray("von_mises_stress")
mapper.SetScalarRange(0, largest)
mapper.SetLookupTable(colours)
body = vtkActor()
body.SetMapper(mapper)

bar = vtkScalarBarActor()
bar.SetLookupTable(colours)
bar.SetTitle("von Mises (Pa)")
bar.SetLabelFormat("%.3g")
bar.SetVerticalTitleSeparation(12)
bar.SetWidth(0.1)
bar.SetHeight(0.7)
bar.SetPosition(0.87, 0.15)
title = vtkTextActor()
title.SetInput(f"{source}: displacements times {factor:g}")
title.SetPosition(20, 430)
for text in (bar.GetTitleTextProperty(), bar.GetLabelTextProperty(), title.GetTextProperty()):
    text.SetColor(0, 0, 0)
    text.ShadowOff()
    text.ItalicOff()
    text.BoldOff()
title.GetTextProperty().SetFontSize(16)

renderer = vtkRenderer()
renderer.SetBackground(1, 1, 1)
renderer.AddActor(body)
renderer.AddActor2D(bar)
renderer.AddActor2D(title)
window = vtkRenderWindow()
window.SetOffScreenRendering(1)
window.SetSize(800, 460)
window.SetMultiSamples(8)
window.AddRenderer(renderer)
camera = renderer.GetActiveCamera()
camera.SetFocalPoint(0, 0, 0)
camera.SetPosition(*seen_from)
camera.SetViewUp(0, 0, 1)
renderer.ResetCamera()
camera.Zoom(1.25)
window.Render()
image = vtkWindowToImageFilter()
image.SetInput(window)
image.ReadFrontBufferOff()
writer = vtkPNGWriter()
writer.SetFileName(picture)
writer.SetInputConnection(image.GetOutputPort())
writer.Write()
