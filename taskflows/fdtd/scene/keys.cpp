// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fdtd/scene/keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace asterism::fdtd::scene {
namespace {

constexpr const char* needed = "needed";
constexpr const char* point = "[x, y, z] in m";
constexpr const char* box = "box";
constexpr const char* list = "numbers in Hz";
constexpr const char* part = "\"Ex\" to \"Hz\"";
constexpr const char* parts = "\"Ex\", \"E\", ... or several";

Section body(const char* shape, const char* meaning, std::vector<Key> keys, std::vector<std::string> examples) {
  keys.push_back({"material", "name", needed, "what the cells consist of whose centre lies inside"});
  keys.push_back({"shape", "word", needed, "the kind of body"});
  std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) { return std::strcmp(a.name, b.name) < 0; });
  for (std::string& e : examples) e = fmt::format("[[geometry]]\nshape = \"{}\"\nmaterial = \"pec\"\n{}", shape, e);
  return {fmt::format("[[geometry]] of shape \"{}\"", shape), meaning, std::move(keys), std::move(examples)};
}

std::vector<Section> domain() {
  return {
      {"the scene",
       "keys before the first table",
       {{"background", "name", "\"vacuum\"", "material of all cells that no body covers"},
        {"conformal", "true or false", "false", "surfaces of perfect conductors where they are"},
        {"courant", "0 to 1", "0.99", "time step by the largest stable one (conformal: 0.5 without); or time_step"},
        {"precision", "\"single\" or \"double\"", "\"double\"", "of storage and arithmetic"},
        {"smoothing", "true or false", "false", "surfaces of dielectrics where they are; or \"diagonal\": means only"},
        {"steps", "integer", "or time", "time steps"},
        {"time", "s", "or steps", "simulated time, rounded up to whole steps"},
        {"time_step", "s", "by courant", "time step"}},
       {"", ""}},
      {"[grid]",
       "cells of one size, or a graded mesh: its planes across each axis",
       {{"cells", "3 integers", "or size", "cells along x, y and z"},
        {"origin", point, "[0, 0, 0]", "lowest corner"},
        {"size", "3 numbers in m", "or cells", "edges of the domain, whole numbers of cells"},
        {"spacing", "m, or 3 of them", "or x, y and z", "edges of a cell"},
        {"x", "planes in m, or a rule", "or spacing",
         "all planes across x, ascending, or the rule below; with y and z"},
        {"y", "the same", "or spacing", "along y"},
        {"z", "the same", "or spacing", "along z"}},
       {"[grid]\nsize = [0.2, 0.1, 0.1]\nspacing = 5e-3\norigin = [-0.1, 0, 0]\n",
        "[grid]\nx = { lines = [-0.1, -0.01, 0.01, 0.1], spacing = [5e-3, 1e-3, 5e-3] }\n"
        "y = { lines = [0, 0.1], spacing = 5e-3 }\nz = [0, 0.01, 0.02, 0.025, 0.03, 0.035, 0.045, 0.055]\n"}},
      {"x",
       "of [grid], a rule for planes, and y and z as well. Cells grow from the intervals of short ones into their\n"
       "neighbours; they become a little shorter, so that there is a whole number of them in each interval",
       {{"growth", "1 to 3", "1.2", "ratio of cells next to each other, at lines a little more"},
        {"lines", "ascending numbers in m", needed,
         "planes that are to be there, such as surfaces; first and last: faces"},
        {"spacing", "m, or one per interval", needed, "longest cell in each interval between lines"}},
       {"[grid]\nx = { lines = [-0.1, 0.1], spacing = 5e-3, growth = 1.3 }\ny = { lines = [0, 0.1], spacing = 5e-3 }\n"
        "z = { lines = [0, 0.1], spacing = 5e-3 }\n"}},
      {"[faces]",
       "what ends the domain: \"pec\" electric conductor, \"pmc\" magnetic conductor, \"periodic\", \"cpml\" layers",
       {{"all", "word", "\"pec\"", "all faces that are not named"},
        {"x", "word, or 2 of them", "all", "both faces, or the lower and the upper one"},
        {"y", "word, or 2 of them", "all", "the same along y"},
        {"z", "word, or 2 of them", "all", "the same along z"}},
       {"[faces]\nall = \"pec\"\nx = \"periodic\"\nz = [\"pmc\", \"cpml\"]\n"}},
      {"[cpml]",
       "absorbing layers, inside the grid (Roden and Gedney 2000)",
       {{"alpha_max", "S/m", "by the cell", "for waves that hardly travel: 0.12 / (377 ohm x spacing)"},
        {"kappa_max", "1 and more", "4", "stretches waves that graze"},
        {"order", "number", "2.5", "of the polynomial by which the layers grow"},
        {"sigma_ratio", "number", "1.3", "conductivity by the optimal one of that order"},
        {"thickness", "cells", "10", "of each layer"}},
       {"[cpml]\nthickness = 8\n"}}};
}

std::vector<Section> materials() {
  return {
      {"[materials.NAME]",
       "beside \"vacuum\" and \"pec\", which are there",
       {{"debye", "table, or several", "none", "poles of relaxation"},
        {"drude", "table, or several", "none", "poles of free charges"},
        {"eps_r", "number", "1", "relative permittivity; with poles: at infinite frequency"},
        {"lorentz", "table, or several", "none", "poles of resonance"},
        {"loss_tangent", "{ value, frequency }", "none", "adds the conductivity that has this loss at this frequency"},
        {"mu_r", "number", "1", "relative permeability"},
        {"perfect_conductor", "true or false", "false", "true: nothing else counts"},
        {"sigma", "S/m", "0", "electric conductivity"},
        {"sigma_m", "ohm/m", "0", "magnetic loss"}},
       {"[materials.glass]\neps_r = 2.25\nsigma = 1e-3\n"}},
      {"loss_tangent",
       "of a material: eps''/eps' = sigma / (2 pi f eps)",
       {{"frequency", "Hz", needed, "where the loss tangent holds"}, {"value", "number", needed, "the loss tangent"}},
       {"[materials.board]\neps_r = 4.4\nloss_tangent = { value = 0.02, frequency = 2.4e9 }\n"}},
      {"drude",
       "of a material: - omega_p^2 / (w^2 - i w gamma), at e^(+i w t)",
       {{"gamma", "rad/s", needed, "collision rate"}, {"omega_p", "rad/s", needed, "plasma frequency"}},
       {"[materials.metal]\ndrude = { omega_p = 1e10, gamma = 1e9 }\n"}},
      {"lorentz",
       "of a material: delta_eps omega_0^2 / (omega_0^2 + 2 i w delta - w^2)",
       {{"delta", "rad/s", needed, "damping"},
        {"delta_eps", "number", needed, "change of relative permittivity"},
        {"omega_0", "rad/s", needed, "resonance"}},
       {"[materials.crystal]\nlorentz = { delta_eps = 0.5, omega_0 = 1e10, delta = 1e8 }\n"}},
      {"debye",
       "of a material: delta_eps / (1 + i w tau)",
       {{"delta_eps", "number", needed, "change of relative permittivity"}, {"tau", "s", needed, "relaxation time"}},
       {"[materials.water]\ndebye = { delta_eps = 3, tau = 1e-10 }\n"}}};
}

std::vector<Section> bodies() {
  return {
      body("box", "low <= centre < high",
           {{"high", point, needed, "upper corner"}, {"low", point, needed, "lower corner"}},
           {"low = [0, 0.02, 0.02]\nhigh = [0.02, 0.06, 0.04]\n"}),
      body("sphere", "", {{"centre", point, needed, "its centre"}, {"radius", "m", needed, "its radius"}},
           {"centre = [0, 0.05, 0.05]\nradius = 0.02\n"}),
      body("ellipsoid", "axes along x, y and z",
           {{"centre", point, needed, "its centre"}, {"semi_axes", "3 numbers in m", needed, "half of its diameters"}},
           {"centre = [0, 0.05, 0.05]\nsemi_axes = [0.02, 0.01, 0.01]\n"}),
      body("cylinder", "along an axis, or between any two points",
           {{"axis", "\"x\", \"y\" or \"z\"", "or from", "its direction"},
            {"centre", point, "with axis", "its centre"},
            {"from", point, "or axis", "centre of one end"},
            {"height", "m", "with axis", "from end to end"},
            {"radius", "m", needed, "its radius"},
            {"to", point, "with from", "centre of the other end"}},
           {"axis = \"z\"\ncentre = [0, 0.05, 0.05]\nradius = 0.02\nheight = 0.04\n",
            "from = [0, 0.02, 0.02]\nto = [0, 0.06, 0.08]\nradius = 0.01\n"}),
      body("half_space", "(centre - point) . normal < 0",
           {{"normal", "[x, y, z]", needed, "direction out of it, of any length"},
            {"point", point, needed, "a point of its surface"}},
           {"point = [0, 0, 0.03]\nnormal = [0, 0, 1]\n"}),
      body("mesh", "a closed surface of triangles: STL, OBJ, OFF, PLY or gmsh, compressed or not",
           {{"centre", point, "where it is", "where its bounding box is to have its centre"},
            {"degrees", "[x, y, z]", "[0, 0, 0]", "rotation about x, then y, then z"},
            {"file", "name", needed, "in the folder of the scene"},
            {"length", "m", "as it is", "longest edge of its bounding box"},
            {"scale", "number", "1", "metres per unit of the file"},
            {"translation", point, "[0, 0, 0]", "moves it, after all else"}},
           {"file = \"airliner.off\"\nlength = 0.1\ncentre = [0, 0.05, 0.05]\n"}),
      {"[[geometry]] of shape \"voxels\"",
       "an HDF5 dataset of integers, one per cell",
       {{"dataset", "name", needed, "of the dataset"},
        {"file", "name", needed, "in the folder of the scene"},
        {"materials", "{ 1 = \"name\", ... }", needed, "material of each value"},
        {"offset", "3 integers", "[0, 0, 0]", "cell of the grid that has the first value"},
        {"order", "\"xyz\" or \"zyx\"", "\"xyz\"", "of the dataset's indices, the slowest first"},
        {"shape", "word", needed, "the kind of body"},
        {"unchanged", "integers", "none", "values that leave cells as they are"}},
       {"[[geometry]]\nshape = \"voxels\"\nfile = \"head.h5\"\ndataset = \"tissue\"\n"
        "materials = { 1 = \"pec\" }\nunchanged = 0\n"}}};
}

constexpr const char* dipole = "[[sources]]\ntype = \"dipole\"\ncomponent = \"Ez\"\nposition = [0, 0.05, 0.05]\n";

std::vector<Section> sources() {
  const std::string start = dipole;
  return {{"[[sources]] of type \"dipole\"",
           "a current along an edge",
           {{"component", part, needed, "E: electric current moment, A m; H: magnetic, V m"},
            {"entry", "3 integers", "or position", "index of the entry of that component"},
            {"position", point, "or entry", "the nearest entry is taken"},
            {"type", "word", needed, "\"dipole\" or \"plane_wave\""},
            {"waveform", "waveform", needed, "its moment over time"}},
           {start + "waveform = { kind = \"gaussian\", width = 1e-10 }\n"}},
          {"[[sources]] of type \"plane_wave\"",
           "within a box (total field); outside of it there is the scattered field only",
           {{"box", box, needed, "total-field region, outside of absorbing layers"},
            {"direction", "[x, y, z]", needed, "of travel"},
            {"polarisation", "[x, y, z]", needed, "of E, at right angles to direction"},
            {"type", "word", needed, "\"dipole\" or \"plane_wave\""},
            {"waveform", "waveform", needed, "E in V/m at the corner that the wave meets first"}},
           {"[[sources]]\ntype = \"plane_wave\"\ndirection = [1, 0, 0]\npolarisation = [0, 1, 0]\n"
            "box = { low = [-0.06, 0.03, 0.03], high = [0.06, 0.07, 0.07] }\n"
            "waveform = { kind = \"gaussian\", width = 1e-10 }\n"}},
          {"waveform",
           "over time t, times amplitude; s = (t - delay) / width, a = (pi frequency (t - delay))^2:\n"
           "  gaussian exp(-s^2), differentiated_gaussian -sqrt(2 e) s exp(-s^2), ricker (1 - 2 a) exp(-a),\n"
           "  modulated exp(-s^2) sin(2 pi frequency (t - delay) + phase), sine sin(2 pi frequency t + phase)",
           {{"amplitude", "number", "1", "factor"},
            {"delay", "s", "starts at about 0", "time of the middle, not of sine"},
            {"frequency", "Hz", needed, "of ricker, modulated and sine"},
            {"kind", "word", needed, "see above"},
            {"phase", "degrees", "0", "of modulated and sine"},
            {"ramp", "s", "0", "sine grows by sin^2(pi t / (2 ramp)) so long"},
            {"width", "s", needed, "of the gaussian ones and modulated: down to 1/e"}},
           {start + "waveform = { kind = \"gaussian\", width = 1e-10 }\n",
            start + "waveform = { kind = \"ricker\", frequency = 1e9 }\n",
            start + "waveform = { kind = \"modulated\", frequency = 1e9, width = 1e-9 }\n",
            start + "waveform = { kind = \"sine\", frequency = 1e9, ramp = 2e-9 }\n"}}};
}

std::vector<Section> results() {
  const std::string port = "[[ports]]\naxis = \"z\"\nposition = [0, 0.05, 0.05]\n";
  return {
      {"[[conductors]]",
       "thin perfect conductors along edges of the grid: a wire where two coordinates are equal, a sheet where one "
       "is;\n"
       "a wire is as one of a radius of 0.21 cells",
       {{"high", point, needed, "the other end, or the upper corner"},
        {"low", point, needed, "one end, or the lower corner"}},
       {"[[conductors]]\nlow = [0, 0.02, 0.05]\nhigh = [0, 0.08, 0.05]\n"}},
      {"[[ports]]",
       "a generator with a resistance, and resistors, along edges: SCENE_ports.csv, with one port SCENE.s1p, too",
       {{"axis", "\"x\", \"y\" or \"z\"", needed, "along which its current flows"},
        {"cells", "integer", "1", "edges in series, upwards"},
        {"entry", "3 integers", "or position", "index of its lowest edge"},
        {"frequencies", list, needed, "of the port with the waveform, ascending"},
        {"name", "text", "port0, ...", "of its columns"},
        {"position", point, "or entry", "the nearest edge is taken"},
        {"resistance", "ohm", "50", "also what S-parameters refer to"},
        {"waveform", "waveform", "a resistor", "of the generator in V; one port has it"}},
       {port +
            "waveform = { kind = \"gaussian\", width = 1e-10 }\nfrequencies = { from = 1e9, to = 3e9, count = 21 }\n",
        "[[ports]]\naxis = \"z\"\nposition = [-0.05, 0.05, 0.05]\n" +
            ("waveform = { kind = \"gaussian\", width = 1e-10 }\nfrequencies = 1e9\n" + port)}},
      {"[[probes]]",
       "values at a point over time, for the file that --probes names",
       {{"components", parts, "all", "what is recorded"},
        {"entry", "3 integers", "or position", "index of the entries"},
        {"frequencies", "numbers in Hz", "none", "of transforms, in SCENE_probe_spectra.csv"},
        {"name", "text", "probe0, ...", "of its columns"},
        {"position", point, "or entry", "the nearest entries are taken"},
        {"ringdown", "s", "none", "from then on it decays freely: the program says its frequency and Q"}},
       {"[[probes]]\nname = \"behind\"\nposition = [0.05, 0.05, 0.05]\ncomponents = \"Ez\"\n"}},
      {"[[monitors]]",
       "complex fields at frequencies in a box: SCENE_monitors.h5",
       {{"box", box, "all", "may be flat"},
        {"components", parts, "all", "what is transformed"},
        {"frequencies", list, needed, "ascending"},
        {"name", "text", "monitor0, ...", "of its group in the file"}},
       {"[[monitors]]\nfrequencies = [1e9, 2e9]\n"}},
      {"[[fluxes]]",
       "power through a rectangle, towards growing coordinates: SCENE_fluxes.csv; --normalise has it by another run's",
       {{"frequencies", list, needed, "ascending"},
        {"high", point, needed, "upper corner, on the same plane of the grid as the lower one"},
        {"low", point, needed, "lower corner"},
        {"name", "text", "flux0, ...", "in the file"},
        {"reference", "name", "its own", "the flux of the other run that normalises it"}},
       {"[[fluxes]]\nlow = [0.02, 0.02, 0.02]\nhigh = [0.02, 0.08, 0.08]\nfrequencies = [1e9, 2e9]\n"}},
      {"[[far_fields]]",
       "radiation from the surface of a box: SCENE_far_field.csv",
       {{"box", box, needed, "around all that radiates and all plane waves' boxes"},
        {"frequencies", list, needed, "ascending"},
        {"phi", "numbers in degrees", needed, "from the x axis"},
        {"theta", "numbers in degrees", needed, "from the z axis"}},
       {"[[far_fields]]\nbox = { low = [-0.06, 0.02, 0.02], high = [0.06, 0.08, 0.08] }\nfrequencies = 1e9\n"
        "theta = 90\nphi = { from = 0, to = 360, count = 73 }\n"}},
      {"[[fields]]",
       "E and H over time for ParaView",
       {{"every", "steps", "at the end", "from one output to the next"},
        {"fields", "\"E\", \"H\" or both", "both", "what is written"},
        {"file", "name", needed, "NAME.pvd (VTK), NAME.vtkhdf (VTKHDF) or NAME.h5 (HDF5 and XDMF)"},
        {"placement", "\"cells\" or \"yee\"", "\"cells\"", "means at centres of cells, or the entries as they are"}},
       {"[[fields]]\nfile = \"fields.pvd\"\n"}},
      {"[[slices]]",
       "pictures of a plane",
       {{"at", "m", "or index", "where the plane is"},
        {"axis", "\"x\", \"y\" or \"z\"", needed, "across the plane"},
        {"every", "steps", "at the end", "from one picture to the next"},
        {"file", "name", needed, "NAME.png"},
        {"high", "number", "largest", "value at the upper end of the colours"},
        {"index", "integer", "or at", "of the plane of cells"},
        {"low", "number", "smallest", "value at the lower end of the colours"},
        {"plain", "true or false", "false", "the cells alone, without title, axes and colour bar"},
        {"quantity", "\"Ex\" to \"Hz\", \"E\" or \"H\"", needed, "a component, or a magnitude"},
        {"zoom", "pixels", "about 640 in all", "per cell"}},
       {"[[slices]]\nfile = \"slice.png\"\naxis = \"z\"\nat = 0.05\nquantity = \"Ez\"\n"}}};
}

std::vector<Section> values() {
  const std::string monitor = "[[monitors]]\nfrequencies = ";
  return {{"box",
           "two corners, to the nearest planes of the grid",
           {{"from", "3 integers", "or low", "first cell"},
            {"high", point, "with low", "upper corner"},
            {"low", point, "or from", "lower corner"},
            {"to", "3 integers", "with from", "the cell behind the last"}},
           {monitor + "1e9\nbox = { low = [-0.05, 0.02, 0.02], high = [0.05, 0.08, 0.08] }\n",
            monitor + "1e9\nbox = { from = [4, 4, 4], to = [12, 12, 12] }\n"}},
          {"numbers",
           "one, an array, or a table of equal steps",
           {{"count", "integer", needed, "how many"},
            {"from", "number", needed, "the first"},
            {"to", "number", needed, "the last"}},
           {monitor + "{ from = 1e9, to = 2e9, count = 11 }\n"}}};
}

}  // namespace

const std::vector<Section>& sections() {
  static const std::vector<Section> all = [] {
    std::vector<Section> result;
    for (const auto& some : {domain(), materials(), bodies(), sources(), results(), values()})
      result.insert(result.end(), some.begin(), some.end());
    return result;
  }();
  return all;
}

std::string scene_help() {
  std::string text =
      "A scene is a TOML file. SI units. A table in [[ ]] may stand several times; a box, a waveform and numbers are\n"
      "values of keys. Each table: key, value, what is taken without it, meaning.\n";
  for (const Section& section : sections()) {
    text += fmt::format("\n{}{}{}\n", section.title, *section.meaning != '\0' ? ": " : "", section.meaning);
    for (const Key& key : section.keys)
      text += fmt::format("  {:18}{:27}{:19}{}\n", key.name, key.value, key.fallback, key.meaning);
    for (std::string_view rest : section.examples) {
      if (rest.empty()) continue;
      text += "  example:\n";
      for (; !rest.empty(); rest.remove_prefix(rest.find('\n') + 1))
        text += fmt::format("    {}\n", rest.substr(0, rest.find('\n')));
    }
  }
  return text;
}

}  // namespace asterism::fdtd::scene
