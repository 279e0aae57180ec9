// SPDX-License-Identifier: Apache-2.0
// The potential of a unit charge and its images in a box of width 1, without the charge and its nearest images: smooth
// where a tree's root meets them.
#pragma once

namespace asterism::fmm {

/// The sum of 1 / |r + n| over n in Z^`directions` without those whose components are all -1, 0 or 1, for the first
/// `directions` (1 to 3) of x, y, z periodic and |x|, |y|, |z| <= 1, up to a constant, which neutral systems do not
/// feel. Relative error about 1e-15 of the largest term.
///   3: Ewald's sum with the term k = 0 left out, the potential in a conductor ("tin-foil"); its mean is 0
///      (Ewald, Ann. Phys. 369, 1921; de Leeuw, Perram, Smith, Proc. R. Soc. A 373, 1980)
///   2: Ewald's sum of a slab (Parry, Surf. Sci. 49, 1975)
///   1: sums of 1 / |r + n| - 1 / |n|, the far ones expanded in Legendre polynomials
double farther_images(int directions, double x, double y, double z);

}  // namespace asterism::fmm
