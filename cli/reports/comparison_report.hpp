#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "cli/reports/table.hpp"
#include "model/profile/device_profile.hpp"
#include "predict/map/map_comparison.hpp"
#include "predict/map/map_comparison_json.hpp"

namespace sparsecast::cli {

/// One line: what is compared, in which precision and layout.
std::string comparison_title(const MapComparison& comparison,
                             std::span<const DeviceProfile> profiles);

/// A line a place where a matrix is: unknowns,elements,fastest,second,margin and the seconds of
/// each profile ("seconds NAME"); cells are empty where memory does not hold the matrix.
std::string comparison_as_csv(const MapComparison& comparison);

/// For people: how often each is the fastest, and how the points compare.
void print_comparison(const MapComparison& comparison, std::span<const DeviceProfile> profiles,
                      std::span<const ComparedPoint> points, TableStyle style, std::ostream& out);

}  // namespace sparsecast::cli
