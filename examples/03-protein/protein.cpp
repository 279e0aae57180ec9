// SPDX-License-Identifier: Apache-2.0
// Example 3: the electrostatic energy of a protein of several chains, and how much of it binds the first half of the
// atoms to the second. Atoms come from a PQR file on standard input: x, y, z in angstrom, charge in e, radius.
//
//   zcat data/particles/actin_dimer_11754.pqr.gz | protein
#include <algorithm>
#include <asterism/fmm.hpp>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

int main() {
  try {
    // the last five words of a line are numbers
    std::vector<double> x, y, z, charge;
    for (std::string line; std::getline(std::cin, line);) {
      if (!line.starts_with("ATOM") && !line.starts_with("HETATM")) continue;
      std::vector<std::string> words;
      std::istringstream text(line);
      for (std::string word; text >> word;) words.push_back(word);
      if (words.size() < 6) continue;
      const auto number = [&](std::size_t from_end) { return std::stod(words[words.size() - from_end]); };
      x.push_back(number(5));
      y.push_back(number(4));
      z.push_back(number(3));
      charge.push_back(number(2));
    }

    asterism::Session session;
    asterism::fmm::Options options;
    options.coupling = asterism::fmm::coulomb_kcal_per_mol;
    options.evaluations = 3;
    asterism::fmm::Evaluator evaluator(session, {x, y, z}, options);

    // other charges of the same atoms need no set-up
    std::vector<double> potential(x.size()), fx(x.size()), fy(x.size()), fz(x.size());
    const auto energy = [&](std::size_t first, std::size_t last) {
      std::vector<double> some(charge.size());
      std::copy(charge.begin() + static_cast<std::ptrdiff_t>(first), charge.begin() + static_cast<std::ptrdiff_t>(last),
                some.begin() + static_cast<std::ptrdiff_t>(first));
      return evaluator.evaluate(some, {potential, fx, fy, fz}).energy;
    };
    const std::size_t half = charge.size() / 2;
    const double first = energy(0, half);
    const double second = energy(half, charge.size());
    const double all = energy(0, charge.size());
    std::printf("%zu atoms: energy %.1f kcal/mol, of the halves alone %.1f and %.1f, between them %.2f\n", x.size(),
                all, first, second, all - first - second);

    // Newton's third law: the forces cancel
    double sum = 0, size = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      sum += fx[i] + fy[i] + fz[i];
      size += std::abs(fx[i]) + std::abs(fy[i]) + std::abs(fz[i]);
    }
    return std::abs(sum) < 1e-4 * size ? 0 : 1;
  } catch (const asterism::Error& error) {
    std::fprintf(stderr, "protein: %s\n", error.what());
    return error.kind() == asterism::Error::Kind::bad_input ? 2 : 1;
  }
}
