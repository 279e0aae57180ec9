# SPDX-License-Identifier: Apache-2.0
"""Flow, fields and sound in Python: shapes and order of arrays, answers against exact ones, misuse, Ctrl-C."""
import signal
import threading
import time

import numpy
import pytest

import asterism
from refusal import refused

# ---- what tests share: see test_asterism.py


@pytest.fixture
def session():
    with asterism.Session(cpus=2, gpus=0) as opened:
        yield opened


# ---- flow


def test_shear_between_walls(session):
    flow = asterism.lbm.Simulation(session, (5, 4, 12), faces={"-x": "periodic", "+x": "periodic", "-y": "periodic",
                                                             "+y": "periodic", "+z": asterism.lbm.wall(0.03, 0.02)},
                                   tau=1)
    told = []
    flow.advance(1700, told.append, every=700)
    assert told == [700, 1400, 1700] and flow.step == 1700
    height = (numpy.arange(12) + 0.5) / 12
    velocity = flow.velocity()
    assert velocity.shape == (3, 12, 4, 5)
    for component, lid in enumerate((0.03, 0.02, 0)):
        assert abs(velocity[component] - lid * height[:, None, None]).max() < 1e-8
    out = numpy.empty((12, 4, 5))
    assert flow.density(out) is out and abs(out - 1).max() < 1e-3


def test_a_given_flow_and_a_solid(session):
    solid = asterism.lbm.solid_cells((10, 8, 6), length=4, position=(5, 4, 3))
    assert solid.shape == (6, 8, 10) and solid[3, 4, 5] == 1 and solid[0, 0, 0] == 0 and 20 < solid.sum() < 48
    flow = asterism.lbm.Simulation(session, (10, 8, 6), faces="periodic", solid=solid,
                                   collision="central-moments", velocity=(0.02, 0, 0))
    assert flow.fluid_cells == 480 - solid.sum()
    velocity = numpy.zeros((3, 6, 8, 10))
    velocity[1] = 0.01 * (1 - solid)
    flow.start(numpy.full((6, 8, 10), 1.01), velocity)
    assert abs(flow.velocity() - velocity).max() < 1e-15 and flow.totals().mass == pytest.approx(0.01 * flow.fluid_cells)
    before = flow.totals().momentum
    flow.advance(1)
    # what the solid takes is what the fluid loses
    assert flow.totals().momentum + flow.force() == pytest.approx(before, abs=1e-12)
    assert flow.force()[1] > 0 and abs(flow.force()[0]) < 1e-12
    flow.start()
    assert abs(flow.velocity()[0] - 0.02 * (1 - solid)).max() < 1e-15


def test_a_body(session):
    body = asterism.lbm.Body(length=4, position=(5, 1, 4), shape="cylinder", walls="interpolated")
    channel = {"-x": asterism.lbm.parabola(0.02), "+x": "pressure", "-y": "periodic", "+y": "periodic"}
    flow = asterism.lbm.Simulation(session, (12, 2, 9), faces=channel, body=body)
    solid = asterism.lbm.solid_cells((12, 2, 9), length=4, position=(5, 1, 4), shape="cylinder")
    assert flow.fluid_cells == 216 - solid.sum() and (solid[:, 0] == solid[:, 1]).all()
    flow.advance(300)
    force, moment = flow.force(), flow.moment((0, 0, 0))
    assert force[0] > 0
    assert flow.moment((5, 1, 4))[1] == pytest.approx(moment[1] - (4 * force[0] - 5 * force[2]), abs=1e-12)
    staircase = asterism.lbm.Simulation(session, (12, 2, 9), faces=channel, solid=solid)
    staircase.advance(300)
    assert staircase.force()[0] != pytest.approx(force[0], rel=1e-4)


def test_a_sponge_takes_up_sound(session):
    def left(sponge):
        flow = asterism.lbm.Simulation(
            session, (80, 2, 2), velocity=(0.03, 0, 0), sponge=sponge, collision="central-moments", magic=0.25,
            faces={"-x": asterism.lbm.wall(0.03), "+x": "pressure", "-y": "periodic", "+y": "periodic",
                   "-z": "periodic", "+z": "periodic"})
        hump = 1 + 0.01 * numpy.exp(-((numpy.arange(80) - 30) / 6) ** 2)
        flow.start(numpy.ascontiguousarray(numpy.broadcast_to(hump, (2, 2, 80))))
        flow.advance(400)
        return abs(flow.density()[:, :, :40] - 1).max()

    assert left(40) < left(0) / 2


def test_wrong_flows(session):
    def make(**more):
        return asterism.lbm.Simulation(session, (5, 4, 3), **more)

    refused(lambda: asterism.lbm.Simulation(session, (5, 4)), "cells", "3 numbers")
    refused(lambda: make(faces={"x": "wall"}), "'x'", "-x, +x")
    refused(lambda: make(faces="open"), "face open", "pressure")
    refused(lambda: make(faces={"-x": 3}), "faces: 3")
    refused(lambda: make(solid=numpy.zeros((5, 4, 3), bool)), "solid", "(3, 4, 5)")
    refused(lambda: make(solid=numpy.zeros((3, 4, 5))), "solid", "float64", "uint8")
    refused(lambda: make(precision="quad"), "precision quad", "half")
    refused(lambda: make(body=asterism.lbm.Body(shape="cone")), "shape cone", "cylinder")
    refused(lambda: make(body=asterism.lbm.Body(), solid=numpy.zeros((3, 4, 5), bool)), "solid and body")
    refused(lambda: make(velocity=(0, 0)), "velocity")
    refused(lambda: make(sponge=9), "a sponge lies before an outlet")
    refused(lambda: make(sponge="wide"), "sponge 'wide'")
    refused(lambda: make(collision="trt", magic=0), "magic parameter 0")
    flow = make()
    refused(lambda: flow.start(velocity=numpy.zeros((3, 4, 5))), "velocity", "(3, 3, 4, 5)")
    refused(lambda: flow.density(numpy.zeros((3, 4, 5), numpy.float32)), "float32")
    refused(lambda: flow.advance("two"), "steps 'two'")
    refused(lambda: asterism.lbm.solid_cells((5, 4, 3), "no.stl", length=2), "no.stl")
    diverging = asterism.lbm.Simulation(session, (16, 16, 16), tau=0.5001,
                                        faces={"+z": asterism.lbm.wall(0.28)})
    refused(lambda: diverging.advance(10**5), "diverged", kind=asterism.Failed)
    flow.advance(2)
    assert flow.step == 2


# ---- fields


def test_a_current_sheet(session):
    cells, dy, dz = (60, 3, 2), 2e-3, 1.5e-3
    width = 5e-11
    options = dict(faces={"-x": "absorbing", "+x": "absorbing", "-y": "periodic", "+y": "periodic", "-z": "periodic",
                          "+z": "periodic"}, epsilon=numpy.full(cells, 4.0))
    spacing = (1e-3, dy, dz)
    dt = asterism.fdtd.Simulation(session, cells, spacing, **options).time_step
    steps = int(8 * width / dt)
    times = dt * (numpy.arange(steps) + 0.5)

    def pulse(t):
        return numpy.exp(-((t - 4 * width) / width)**2)

    fields = asterism.fdtd.Simulation(
        session, cells, spacing, **options, probes=[("ez", (30, 1, 1))],
        sources=[("ez", (20, j, k), dy * dz * pulse(times)) for j in range(3) for k in range(2)])
    fields.advance(steps)
    seen = fields.probe_values()
    assert seen.shape == (steps, 1) and fields.probe_names == ["ez 30 1 1"]
    light, impedance = 299792458, 376.730313668
    # E = -eta / 2 K(t - n x / c), in a medium of n = 2
    exact = -impedance / 4 * pulse(dt * numpy.arange(1, steps + 1) - 2 * 10e-3 / light)
    assert abs(seen[:, 0] - exact).max() < 0.03 * impedance / 4
    ez = fields.field("ez", centres=True)
    assert ez.shape == cells and fields.field("hy").shape == cells
    for source in range(6):
        fields.set_moment(source, numpy.zeros(1))
    fields.start()
    fields.advance(10)
    assert not fields.field("ez").any()


SCENE = """
steps = 30
[grid]
cells = [16, 14, 18]
spacing = 1e-3
[faces]
all = "cpml"
[cpml]
thickness = 3
[[sources]]
type = "dipole"
component = "Ez"
position = [8e-3, 7e-3, 9e-3]
waveform = { kind = "differentiated_gaussian", amplitude = 1e-3, width = 12e-12 }
[[probes]]
name = "near"
position = [9e-3, 8e-3, 9e-3]
components = ["Ez"]
ringdown = 5e-12
[[fluxes]]
name = "up"
low = [4e-3, 4e-3, 13e-3]
high = [12e-3, 10e-3, 13e-3]
frequencies = [20e9]
[[monitors]]
name = "plane"
box = { from = [5, 5, 9], to = [11, 9, 10] }
frequencies = [20e9, 25e9]
components = ["Ez"]
[[ports]]
axis = "z"
position = [8e-3, 7e-3, 6e-3]
resistance = 75
waveform = { kind = "ricker", frequency = 22e9 }
frequencies = [20e9, 25e9]
[[far_fields]]
box = { from = [5, 5, 5], to = [11, 10, 13] }
frequencies = [20e9]
theta = [0, 90]
phi = [0]
"""


def test_a_scene(session):
    fields = asterism.fdtd.Simulation.from_scene(session, SCENE)
    assert fields.steps == 30 and fields.cells == (16, 14, 18)
    fields.advance(fields.steps)
    assert fields.probe_names == ["near.Ez"] and abs(fields.probe_values()).max() > 0
    spectrum, = fields.spectra()
    assert spectrum.monitor == "plane" and spectrum.component == "ez" and spectrum.first == (5, 5, 9)
    assert spectrum.values.shape == (2, 6, 4, 1) and spectrum.values.dtype == complex
    pole, side = fields.far_fields()
    assert (pole.theta, side.theta) == (0, 90)
    assert abs(pole.e_theta) < 1e-3 * abs(side.e_theta)  # a dipole does not radiate along its axis
    assert side.scattering_cross_section is None and side.radar_cross_section is None  # there is no plane wave
    flux, = fields.fluxes()
    assert (flux.name, flux.frequency) == ("up", 20e9) and 0 < flux.power < side.radiated
    assert all(one.probe == "near.Ez" and one.quality > 0 for one in fields.resonances())
    low, high = fields.scattering()
    assert (low.frequency, high.frequency) == (20e9, 25e9) and low.s.shape == (1,)
    assert abs(low.s[0] - (low.impedance - 75) / (low.impedance + 75)) < 1e-12
    refused(lambda: asterism.fdtd.Simulation.from_scene(session, SCENE.replace("steps", "step")), "scene", "step")


def test_wrong_fields(session):
    def make(**more):
        return asterism.fdtd.Simulation(session, (6, 5, 4), 1e-3, **more)

    refused(lambda: make(epsilon=numpy.ones((6, 5))), "epsilon", "(6, 5, 4)")
    refused(lambda: make(sigma=numpy.ones((6, 5, 4), int)), "sigma", "int64")
    refused(lambda: make(faces="open"), "face open", "absorbing")
    refused(lambda: make(probes=[("ew", (0, 0, 0))]), "component ew")
    refused(lambda: make(sources=[("ez", (2, 2), numpy.ones(3))]), "entry")
    fields = make()
    refused(lambda: fields.field("e"), "component e")
    refused(lambda: fields.set_moment(0, numpy.ones(3)), "source 0")
    refused(lambda: fields.field("ex", out=numpy.empty((6, 5, 5))), "out", "(6, 5, 4)")
    fields.advance(1)
    assert fields.step == 1


# ---- sound


def octahedron(*axes):
    vertices = numpy.array([(1.0, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]) * axes
    triangles = numpy.array([(0, 2, 4), (2, 1, 4), (1, 3, 4), (3, 0, 4), (2, 0, 5), (1, 2, 5), (3, 1, 5), (0, 3, 5)],
                            dtype=numpy.int32)
    return vertices, triangles


def test_sound_on_an_octahedron(session):
    vertices, triangles = octahedron(0.5, 0.4, 0.3)
    sound = asterism.tdbem.Simulation(session, vertices, triangles, asterism.tdbem.Wave([(1, 0, 0), (-1, 0, 0)]),
                                      observers=[(3, 0, 0), (-3, 0, 0), (0, 3, 0)])
    assert sound.unknowns == 6
    sound.advance()
    assert sound.step >= sound.steps and sound.times().shape == (sound.step,)
    scattered = sound.scattered()
    assert scattered.shape == sound.incident().shape == (2, 3, sound.step)
    # a mirror image: what one wave scatters to the one side, the other scatters to the other
    assert abs(scattered[0, 0] - scattered[1, 1]).max() < 1e-6 < abs(scattered).max()
    assert abs(sound.surface(0)[0] - sound.surface(1)[1]) < 1e-6
    first = scattered[:1]
    sound.start(asterism.tdbem.Wave((1, 0, 0)))
    sound.advance(sound.steps)
    steps = min(sound.step, first.shape[2])
    assert sound.scattered().shape[:2] == (1, 3) and steps > 10
    peak = abs(first).max()
    assert abs(abs(sound.scattered()).max() - peak) < 0.2 * peak


def test_wrong_sound(session):
    vertices, triangles = octahedron(0.5, 0.4, 0.3)

    def make(v=vertices, t=triangles, *wave, **more):
        return asterism.tdbem.Simulation(session, v, t, *wave, **more)

    refused(lambda: make(vertices.T), "vertices", "(any, 3)")
    refused(lambda: make(t=triangles.astype(numpy.int64)), "triangles", "int64", "int32")
    refused(lambda: make(t=triangles[:7].copy()), "surface")
    refused(lambda: make(observers=(0, 0, 0)), "observer 0")
    refused(lambda: make(boundary="open"), "boundary open", "soft")
    refused(lambda: make(vertices, triangles, (0, 0, 1)), "wave: a tuple")
    refused(lambda: make(vertices, triangles, asterism.tdbem.Wave(frequency=-1)), "frequency -1")
    sound = make()
    refused(lambda: sound.surface(), "step -1")
    sound.advance(1)
    refused(lambda: sound.surface(out=numpy.empty(5)), "out", "(6,)")
    assert sound.surface().shape == (6,)


# ---- calls


def test_progress_may_look_and_end_the_call(session):
    flow = asterism.lbm.Simulation(session, (8, 7, 6), faces={"+z": asterism.lbm.wall(0.05)})
    speeds = []

    def look(step):
        speeds.append(flow.totals().speed)
        if step == 30:
            raise StopIteration

    with pytest.raises(StopIteration):
        flow.advance(1000, look, every=10)
    assert flow.step == 30 and len(speeds) == 3 and speeds[0] > 0


def test_ctrl_c_ends_time_steps(session):
    fields = asterism.fdtd.Simulation(session, (60, 50, 40), 1e-3)
    timer = threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT))
    timer.start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        fields.advance(10**8)
    assert time.monotonic() - begin < 10
    step = fields.step
    fields.advance(1)
    assert fields.step == step + 1


def test_a_closed_session():
    session = asterism.Session(cpus=1, gpus=0)
    flow = asterism.lbm.Simulation(session, (4, 4, 4))
    session.close()
    refused(lambda: flow.advance(1), "closed")
    refused(lambda: asterism.fdtd.Simulation(session, (4, 4, 4), 1), "closed")
