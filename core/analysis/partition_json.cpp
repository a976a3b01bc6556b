#include "core/analysis/partition_json.hpp"

#include <iterator>

#include "core/analysis/partition.hpp"

namespace sparsecast {

namespace {

double share(std::int64_t part, std::int64_t all) {
  return all > 0 ? static_cast<double>(part) / static_cast<double>(all) : 0;
}

JsonObject to_json(const ExchangedValues& values, std::int64_t unknowns) {
  return {{"received", values.received},
          {"sent", values.sent},
          {"received_share_of_vector", share(values.received, unknowns)},
          {"sent_share_of_vector", share(values.sent, unknowns)}};
}

}  // namespace

JsonObject to_json(const PartitionSummary& partition) {
  const std::int64_t unknowns = partition.unknowns();
  JsonArray devices;
  for (std::size_t i = 0; i < partition.segments.size(); ++i) {
    const Segment& segment = partition.segments[i];
    const ExchangeVolume& volume = partition.volumes[i];
    devices.add(JsonObject{{"begin_row", segment.begin_row},
                           {"rows", segment.rows()},
                           {"stored_elements", partition.stored_elements[i]},
                           {"interior_rows", partition.interior_rows[i]},
                           {"interior_share", share(partition.interior_rows[i], segment.rows())},
                           {"neighbours", std::ssize(partition.neighbours[i])},
                           {"halo", to_json(volume.halo, unknowns)},
                           {"peer", to_json(volume.peer, unknowns)},
                           {"staged", to_json(volume.staged, unknowns)}});
  }
  return {{"layout", to_string(partition.layout)},
          {"row_alignment", gpu_row_alignment},
          {"largest_by_mean", JsonObject{{"rows", imbalance(partition.rows())},
                                         {"stored_elements", imbalance(partition.stored_elements)},
                                         {"halo_received", imbalance(partition.halo_received())}}},
          {"devices", devices}};
}

}  // namespace sparsecast
