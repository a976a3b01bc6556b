#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/backend.hpp"
#include "core/csr.hpp"
#include "core/features.hpp"
#include "predict/validation.hpp"

/// @file
/// Runs the solver on a device and sets what it took beside what was predicted.

namespace sparsecast {

struct ValidationRequest {
  std::vector<int> blocks;  ///< empty: every block size that the profile has
  std::vector<int> devices{1};
  std::vector<Precision> precisions{Precision::f64};
  std::vector<std::string> renumberings{"none"};  ///< "none", "random", "rcm"
  CurveKind curve = CurveKind::average;
  double seconds_per_case = 0.5;
};

/// Whether Algorithm 1 makes progress with these values: symmetric, a full positive diagonal, no
/// NaN, and 20 iterations on the back end without p.Ap <= 0.
bool can_be_solved(const CsrView<double>& matrix, const MatrixFeatures& features, Backend& backend);

/// The key of a pattern, 16 hex digits, for matrices that are in a set twice.
std::string pattern_key(const CsrView<double>& matrix);

/// Distinct bytes that one iteration touches: the stored matrix and every vector once.
double working_set_bytes(const Schedule& schedule, std::span<const SegmentShape> segments,
                         Precision precision);

/// A matrix to validate on.
struct ValidationMatrix {
  std::string name;
  CsrMatrix<double> matrix;
  bool pattern_only = false;  ///< the file has no values
};

/// What a validation asks and tells while it runs.
struct ValidationMonitor {
  /// The back end with this many devices.
  std::function<Backend&(int devices)> backend;
  /// Called before each case with its description; false ends the validation.
  std::function<bool(const std::string& what)> proceed;
  /// Called after each case.
  std::function<void(const ValidationRow& row)> done;
  /// Called for a case that is left out, with the reason.
  std::function<void(const std::string& what)> skipped;
};

/// Measures every case of one matrix. A matrix that CG cannot solve keeps its pattern and gets
/// surrogate values. Throws `Error` for a matrix that is not square and for what the profile does
/// not have. Returns false when `proceed` ended it.
bool validate_matrix(const ValidationMatrix& input, const DeviceProfile& profile,
                     const ValidationRequest& request, const ValidationMonitor& monitor);

}  // namespace sparsecast
