#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/matrix/csr.hpp"
#include "core/schedule/method/method.hpp"
#include "core/schedule/method/method_names.hpp"

namespace sparsecast {

/// How a reference run is made.
struct ReferenceOptions {
  NamedNumbers settings;     ///< values of parameters
  double tolerance = 1e-10;  ///< `residual_limit` is this times ||b||
  std::int64_t most_iterations = 1000;
};

struct ReferenceResult {
  Outcome outcome = Outcome::iteration_limit;
  /// The one in which the run ended counts if it multiplied or passed over vectors before.
  std::int64_t iterations = 0;
  std::vector<double> x;
  /// Of the roles residual_norm or residual_square, after the setup and after each iteration.
  std::vector<double> residual_norms;
};

/// Runs a method in double precision by walking its expressions, plainly and slowly: what a method
/// means is what this does. `x` is the start value. A test of a scalar that is not finite ends the
/// run with `not_finite`; where an index is none of its array's, and the like, it throws `Error`.
/// The matrix is square, with columns that rise within rows.
ReferenceResult reference_run(const Method& method, const CsrView<double>& matrix,
                              std::span<const double> b, std::span<const double> x,
                              const ReferenceOptions& options);

}  // namespace sparsecast
