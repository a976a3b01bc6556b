#include "cli/reports/partition_report.hpp"

#include <algorithm>
#include <ostream>
#include <string>

#include "cli/reports/table.hpp"

namespace sparsecast::cli {
namespace {

double share(std::int64_t part, std::int64_t all) {
  return all > 0 ? static_cast<double>(part) / static_cast<double>(all) : 0;
}

std::string percent(double share) {
  return format_number(100 * share) + " %";
}

}  // namespace

void print_partition(std::ostream& out, const PartitionSummary& partition, TableStyle style) {
  const std::int64_t unknowns = partition.unknowns();
  out << partition.segments.size()
      << (partition.segments.size() == 1 ? " device, layout " : " devices, layout ")
      << to_string(partition.layout) << '\n';
  Table table({"device", "rows", "stored elements", "interior rows", "halo received", "of vector",
               "halo sent", "of vector"});
  for (std::size_t i = 0; i < partition.segments.size(); ++i) {
    const std::int64_t rows = partition.segments[i].rows();
    const ExchangedValues& halo = partition.volumes[i].halo;
    table.add_row({std::to_string(i), format_count(rows),
                   format_count(partition.stored_elements[i]),
                   percent(share(partition.interior_rows[i], rows)), format_count(halo.received),
                   percent(share(halo.received, unknowns)), format_count(halo.sent),
                   percent(share(halo.sent, unknowns))});
  }
  table.print(out, style);
  std::int64_t whole = 0;
  for (const ExchangeVolume& volume : partition.volumes) {
    whole = std::max(whole, volume.peer.received);
  }
  out << "largest / mean  rows " << format_number(imbalance(partition.rows()))
      << ", stored elements " << format_number(imbalance(partition.stored_elements))
      << ", halo received " << format_number(imbalance(partition.halo_received())) << '\n'
      << "whole vector    a device receives at most " << format_count(whole) << " values, "
      << percent(share(whole, unknowns)) << " of it\n";
}

}  // namespace sparsecast::cli
