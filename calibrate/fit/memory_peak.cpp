#include "calibrate/fit/memory_peak.hpp"

#include <string>

namespace sparsecast {

double memory_peak_gbps(const SampleOrigin& origin) {
  const auto clock = origin.environment.find("memory_clock_mhz");
  const auto bus = origin.environment.find("memory_bus_bits");
  if (clock == origin.environment.end() || bus == origin.environment.end()) return 0;
  constexpr double bits = 8;
  constexpr double megahertz = 1e-3;  // of a gigahertz
  return 2 * megahertz * std::stod(clock->second) * std::stod(bus->second) / bits;
}

}  // namespace sparsecast
