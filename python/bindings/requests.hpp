#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/analysis/matrix_numbers.hpp"
#include "core/matrix/renumbering.hpp"
#include "core/workload/layout.hpp"
#include "model/paper/iteration_time.hpp"
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

/// A number of devices: 1 to `most_devices`, or `Error` is thrown.
int device_count(const std::string& name, py::handle value);

/// A number of devices, or several; each 1 to `most_devices`, or `Error` is thrown.
void read_devices(const Arguments& arguments, const char* name, int& devices);
void read_devices(const Arguments& arguments, const char* name, std::vector<int>& devices);

/// "curve". Throws `Error` for maximum curves where a profile's model has none.
CurveKind curve_of(const Arguments& arguments, std::span<const DeviceProfile> profiles);

/// "iterations" of a whole solve; 0: it is not there.
std::int64_t iterations_of(const Arguments& arguments);

/// "renumber". Throws `Error` for one of features.
Renumbering order_of(const Arguments& arguments, const Subject& subject);

/// Profiles side by side. Throws like `precision_for`.
std::vector<DeviceProfile> copies_of(const std::vector<const DeviceProfile*>& profiles);

}  // namespace sparsecast::python
