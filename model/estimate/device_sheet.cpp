#include "model/estimate/device_sheet.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/base/text/text_fields.hpp"

namespace sparsecast {
namespace {

const std::string& text_of(const DescribedDevice& gpu, const std::string& key) {
  const auto found = gpu.environment.find(key);
  if (found == gpu.environment.end()) {
    throw Error(in_quotes(gpu.name) + " does not say " + in_quotes(key) +
                " of its GPU; calibrate it with this version");
  }
  return found->second;
}

double number_of(const DescribedDevice& gpu, const std::string& key) {
  return std::stod(text_of(gpu, key));
}

}  // namespace

double memory_peak_gbps(const std::map<std::string, std::string>& environment) {
  const auto clock = environment.find("memory_clock_mhz");
  const auto bus = environment.find("memory_bus_bits");
  if (clock == environment.end() || bus == environment.end()) return 0;
  constexpr double bits = 8;
  constexpr double megahertz = 1e-3;  // of a gigahertz
  return 2 * megahertz * std::stod(clock->second) * std::stod(bus->second) / bits;
}

DataSheet device_sheet(const DescribedDevice& gpu) {
  constexpr double megabyte = 1 << 20;
  constexpr double gigabyte = 1 << 30;
  DataSheet sheet;
  sheet.device = gpu.device;
  sheet.source = "CUDA and its driver";
  sheet.multiprocessors = static_cast<int>(number_of(gpu, "multiprocessors"));
  sheet.clock_mhz = number_of(gpu, "core_clock_mhz");
  text_of(gpu, "memory_clock_mhz");
  text_of(gpu, "memory_bus_bits");
  sheet.bandwidth_gbps = memory_peak_gbps(gpu.environment);
  sheet.l2_mb = number_of(gpu, "l2_bytes") / megabyte;
  sheet.memory_gb = static_cast<double>(gpu.memory_bytes) / gigabyte;
  sheet.compute_capability = text_of(gpu, "compute_capability");
  sheet.shared_bytes_per_block =
      static_cast<std::int64_t>(number_of(gpu, "shared_bytes_per_block"));
  sheet.threads_per_multiprocessor = static_cast<int>(number_of(gpu, "threads_per_multiprocessor"));
  const auto relative =
      std::ranges::find(data_sheets(), sheet.compute_capability, &DataSheet::compute_capability);
  if (relative != data_sheets().end()) sheet.f64_per_clock = relative->f64_per_clock;
  if (const DataSheet* const known = find_data_sheet_of(gpu.device)) {
    sheet.link_gbps = known->link_gbps;
    sheet.link_devices = known->link_devices;
  }
  return sheet;
}

}  // namespace sparsecast
