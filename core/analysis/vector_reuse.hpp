#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/features.hpp"
#include "core/analysis/matrix_access.hpp"
#include "core/base/text/json_text.hpp"

namespace sparsecast {

/// How often a sector of the vector that some rows share in a cache is looked up by them.
struct VectorReuse {
  std::int64_t rows = 0;
  double f32 = 0;
  double f64 = 0;
};

/// For one row, what a warp, a thread block and a GPU may take at a time, and all rows; empty for a
/// matrix without nonzeros.
std::vector<VectorReuse> vector_reuse(const MatrixFeatures& features, const MatrixAccess& access);

/// An array of objects.
JsonArray to_json(const std::vector<VectorReuse>& reuse);

}  // namespace sparsecast
