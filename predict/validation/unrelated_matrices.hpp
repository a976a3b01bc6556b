#pragma once

#include <cstdint>
#include <vector>

#include "predict/validation/validation_supply.hpp"

namespace sparsecast {

/// Generated matrices for validation of families that share no generator with any calibration, as
/// those of `held_out_matrices` do: graphs of images, Kronecker graphs, coupled fields stored one
/// after the other, circuits, bands with scattered entries, and such in the order of nested
/// dissection or with their hubs first. Some 110 in the same strata and a few larger ones of up to
/// 10^8 nonzeros; all in their own order.
///
/// Every family comes once before any comes again, in sizes of all strata: also a part of the list
/// is a fair one. Those of more than `most_nonzeros` are left out; `seed` varies them as that of
/// `held_out_matrices` does.
std::vector<ValidationSource> unrelated_matrices(double most_nonzeros = 5e8,
                                                 std::uint64_t seed = 1);

}  // namespace sparsecast
