#pragma once

#include <span>
#include <vector>

#include "core/analysis/matrix_numbers.hpp"
#include "core/matrix/renumbering.hpp"
#include "core/workload/layout.hpp"
#include "model/profile/device_profile.hpp"
#include "python/bindings/arguments.hpp"
#include "python/bindings/matrix.hpp"

/// @file
/// Arguments that forecasts share.

namespace sparsecast::python {

/// Numbers that stand for a matrix.
struct SystemNumbers {
  double unknowns = 0;
  double elements = 0;
  Layout layout;
  RowNumbers rows;
};
/// "unknowns", "elements", "layout", "deviation", "longest", "mean_distance", "neighbours" and
/// "similarity".
SystemNumbers system_numbers(const Arguments& arguments);

/// "precision", or what the profiles have in common. Throws `Error` for no profile and for two of
/// one name.
Precision precision_for(const Arguments& arguments, std::span<const DeviceProfile> profiles);

/// "renumber". Throws `Error` for one of features.
Renumbering order_of(const Arguments& arguments, const Subject& subject);

/// Profiles side by side. Throws like `precision_for`.
std::vector<DeviceProfile> copies_of(const std::vector<const DeviceProfile*>& profiles);

}  // namespace sparsecast::python
