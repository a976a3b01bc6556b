#pragma once

#include <cstdint>
#include <vector>

#include "core/matrix/csr.hpp"
#include "predict/validation/validation_supply.hpp"

namespace sparsecast {

/// The generated matrices that validation measures besides files: some 180, at least 30 with a
/// working set (of the fused schedule in f64) in each of the strata of `working_set_strata`, up to
/// 5*10^8 nonzeros. None is among those of a calibration: other aspect ratios of grids, other
/// parameters and seeds of random matrices and graphs, other meshes, and families of their own
/// (several unknowns a node, grids with holes). Structured ones of up to 2*10^6 nonzeros are also
/// renumbered. Large ones come first: they take the longest to make.
///
/// Those of more than `most_nonzeros` are left out. `for_several`: some 160 of the same families,
/// of which half are so large that several GPUs may be faster than one. Another `seed` makes other
/// matrices of the same kinds: other sizes and random numbers, and sides, row lengths, bandwidths,
/// shares of holes and the like that are about 0.7 to 1.4 times those of seed 1, each by itself.
std::vector<ValidationSource> held_out_matrices(double most_nonzeros = 5e8,
                                                bool for_several = false, std::uint64_t seed = 1);

/// The matrix without a random share (in [0, 1)) of its unknowns: a domain with holes. At least one
/// stays. A symmetric positive definite matrix stays one.
CsrMatrix<double> with_holes(const CsrView<double>& matrix, double share, std::uint64_t seed);

}  // namespace sparsecast
