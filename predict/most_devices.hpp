#pragma once

namespace sparsecast {

/// The most devices of a forecast: its time and memory grow with their number.
inline constexpr int most_devices = 8192;

}  // namespace sparsecast
