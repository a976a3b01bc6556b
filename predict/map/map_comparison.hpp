#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/precision.hpp"
#include "core/schedule/solver.hpp"
#include "model/paper/iteration_time.hpp"
#include "model/profile/device_profile.hpp"
#include "predict/map/map_grid.hpp"

/// @file
/// Which of several devices is the fastest, over all sizes of matrices: each by its own profile's
/// model, from numbers alone (`predict_numbers`), in the same layout and precision. A device takes
/// part where its memory holds the matrix.

namespace sparsecast {

struct ComparisonRequest : MapSizes {
  int devices = 1;  ///< of each profile
  Precision precision = Precision::f64;
  CurveKind curve = CurveKind::average;
  /// Another solver than conjugate gradients (`OwnSolver::priced`), by the traffic model.
  std::optional<Solver> own;
};

/// The profiles at one place, by their indices.
struct PlaceComparison {
  /// Of an iteration, one a profile; absent where the devices' memory does not hold the matrix.
  std::vector<std::optional<double>> seconds;
  std::optional<std::size_t> fastest;  ///< absent where none holds the matrix
  std::optional<std::size_t> second;   ///< the next fastest
  std::optional<double> margin;        ///< how much slower that is (0.1: by 10 %)
};

struct MapComparison : MapGrid {
  ComparisonRequest request;
  std::vector<std::string> profiles;  ///< their names
  /// One a place; without `seconds` where no matrix is.
  std::vector<PlaceComparison> compared;
};

/// The profiles at one place. Throws `Error` as `predict_numbers` does: where a profile lacks the
/// precision, the layout or a link.
PlaceComparison compare_at(std::span<const DeviceProfile> profiles,
                           const ComparisonRequest& request, double unknowns, double elements);

/// Compares all places on all threads; `progress` as of `visit_places`. Throws `Error` also for
/// sizes out of range and for fewer than two profiles.
MapComparison compare_profiles(std::span<const DeviceProfile> profiles,
                               const ComparisonRequest& request,
                               const std::function<void(double done)>& progress = {});

/// How a profile does in a comparison, over the places where a matrix is.
struct ComparisonShare {
  double fastest = 0;  ///< share of the places
  /// Of these those where the second is slower by at most `tie_margin`.
  double close = 0;
  std::optional<double> largest_margin;  ///< of the places where it is the fastest of several
  double too_small = 0;                  ///< share of the places that its memory does not hold
};
/// One a profile.
std::vector<ComparisonShare> shares_of(const MapComparison& comparison);

}  // namespace sparsecast
