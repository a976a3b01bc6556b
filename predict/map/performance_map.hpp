#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/precision.hpp"
#include "core/schedule/solver.hpp"
#include "model/paper/iteration_time.hpp"
#include "model/profile/device_profile.hpp"
#include "predict/map/map_grid.hpp"

/// @file
/// Figure 8: performance and speedup over all sizes of matrices that a solver could meet. By the
/// traffic model, where the profile has it, matrices have the pattern that `estimate_access`
/// guesses, and one device takes the fastest of the schedule's launch modes.

namespace sparsecast {

enum class MapQuantity {
  speedup,    ///< of n devices over one, S = T / Tp
  raw,        ///< GFlop/s of all block elements, equation 9
  effective,  ///< GFlop/s of nonzeros only, equation 10
};

std::string_view to_string(MapQuantity quantity);
/// The inverse. Throws `Error` that lists the known names.
MapQuantity parse_map_quantity(std::string_view name);

struct MapRequest : MapSizes {
  MapQuantity quantity = MapQuantity::speedup;
  int devices = 1;
  Precision precision = Precision::f64;
  CurveKind curve = CurveKind::average;
  double block_density = 1;  ///< d_N, (0, 1]; used by `effective`
  /// Another solver than conjugate gradients (`OwnSolver::priced`), by the traffic model; not for
  /// `effective`.
  std::optional<Solver> own;
};

/// Values on a grid.
struct PerformanceMap : MapGrid {
  MapRequest request;
  std::vector<double> values;  ///< one a place; NaN where no matrix is
  double smallest = 0;         ///< of the values; NaN if there is none
  double largest = 0;

  double value(std::size_t row, std::size_t column) const { return values[place(row, column)]; }
};

/// A matrix on a map.
struct MapPoint {
  std::string name;
  double unknowns = 0;
  double elements = 0;
  double measured = 0;  ///< of the map's quantity; 0: not known
  double value = 0;     ///< the map's quantity there (`map_value`)
};

/// Computes the map on all threads. `progress` is called between its parts, on this thread, with
/// the share that is done; what it throws ends the work. Throws `Error` for a request out of range,
/// and where the profile lacks the precision, a curve or a link.
PerformanceMap compute_map(const DeviceProfile& profile, const MapRequest& request,
                           const std::function<void(double done)>& progress = {});

/// The map's quantity at one place, without a grid.
double map_value(const DeviceProfile& profile, const MapRequest& request, double unknowns,
                 double elements);

}  // namespace sparsecast
