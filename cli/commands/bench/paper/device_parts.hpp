#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/precision.hpp"

/// @file
/// What tables and charts of a benchmark show together.

namespace sparsecast::cli {

/// The measurements of one device in one precision.
template <class Measurement>
struct DevicePart {
  std::string device;
  Precision precision;
  std::vector<const Measurement*> measurements;

  std::string title() const { return device + ", " + std::string(to_string(precision)); }
  std::vector<const Measurement*> of(std::string_view what) const {
    std::vector<const Measurement*> found;
    for (const Measurement* m : measurements) {
      if (m->what == what) found.push_back(m);
    }
    return found;
  }
};

/// In the order in which they were measured. They point into what they are made of.
template <class Measurement>
std::vector<DevicePart<Measurement>> device_parts(std::span<const Measurement> measurements) {
  std::vector<DevicePart<Measurement>> parts;
  for (const Measurement& m : measurements) {
    auto part = std::ranges::find_if(parts, [&](const DevicePart<Measurement>& each) {
      return each.device == m.description && each.precision == m.precision;
    });
    if (part == parts.end()) {
      parts.push_back({m.description, m.precision, {}});
      part = parts.end() - 1;
    }
    part->measurements.push_back(&m);
  }
  return parts;
}

}  // namespace sparsecast::cli
