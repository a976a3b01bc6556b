#include "core/cuda/device/gpu_description.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace sparsecast {

std::string throttle_reasons_of(std::uint64_t mask) {
  // Bits of nvml.h. Left out: 0x1 idle, 0x2 clocks set by an application, 0x100 display clocks.
  constexpr std::array<std::pair<std::uint64_t, std::string_view>, 6> names{
      {{0x4, "power_cap"},
       {0x8, "hardware_slowdown"},
       {0x10, "sync_boost"},
       {0x20, "thermal"},
       {0x40, "hardware_thermal"},
       {0x80, "power_brake"}}};
  std::string words;
  for (const auto& [bit, name] : names) {
    if ((mask & bit) == 0) continue;
    if (!words.empty()) words += '+';
    words += name;
  }
  return words;
}

}  // namespace sparsecast
