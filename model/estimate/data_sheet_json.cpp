#include "model/estimate/data_sheet_json.hpp"

namespace sparsecast {

JsonObject to_json(const DataSheet& sheet) {
  const auto known = [](const std::string& text) {
    return text.empty() ? JsonValue() : JsonValue(text);
  };
  return {{"name", known(sheet.name)},
          {"device", known(sheet.device)},
          {"multiprocessors", sheet.multiprocessors},
          {"clock_mhz", sheet.clock_mhz},
          {"bandwidth_gbps", sheet.bandwidth_gbps},
          {"l2_mb", sheet.l2_mb},
          {"memory_gb", sheet.memory_gb},
          {"link_gbps", sheet.link_gbps > 0 ? JsonValue(sheet.link_gbps) : JsonValue()},
          {"link_devices", sheet.link_devices > 0 ? JsonValue(sheet.link_devices) : JsonValue()},
          {"compute_capability", sheet.compute_capability},
          {"shared_bytes_per_block", sheet.shared_bytes_per_block},
          {"threads_per_multiprocessor", sheet.threads_per_multiprocessor},
          {"f64_per_clock", sheet.f64_per_clock},
          {"source", known(sheet.source)}};
}

}  // namespace sparsecast
