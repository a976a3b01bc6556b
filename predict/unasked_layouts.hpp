#pragma once

#include "core/base/precision.hpp"
#include "core/formats/format.hpp"
#include "core/workload/layout.hpp"
#include "model/profile/device_profile.hpp"

/// @file
/// Which layouts are forecast where none is asked for: those that are worth it for the pattern and
/// that the profile knows.

namespace sparsecast {

/// Whether a layout is worth a forecast for a matrix, or segment, of such a pattern. Blocks are
/// up to a fill of 18, so that a table shows what they would cost, but not with sorted rows, by
/// which only the paper's mappings gain; layouts for comparisons never are; others where they may
/// pay (`Format::may_pay`).
bool is_forecast_unasked(const PatternNumbers& numbers, const Layout& layout);

/// Whether the profile knows products in a layout, of some kind: their curve, or parameters of the
/// traffic model.
bool knows_products(const DeviceProfile& profile, Precision precision, const Layout& layout);

}  // namespace sparsecast
