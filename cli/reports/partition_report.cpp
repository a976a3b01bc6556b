#include "cli/reports/partition_report.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "cli/reports/prose.hpp"
#include "cli/reports/table.hpp"

namespace sparsecast::cli {
namespace {

double share(std::int64_t part, std::int64_t all) {
  return all > 0 ? static_cast<double>(part) / static_cast<double>(all) : 0;
}

std::string percent(double share) {
  return format_number(100 * share) + " %";
}

/// A device a line.
Table table_of_devices(const PartitionSummary& partition) {
  const std::int64_t unknowns = partition.unknowns();
  const std::vector<std::int64_t> neighbours = partition.neighbour_counts();
  const std::vector<TableColumn> columns{
      TableColumn("device"),    TableColumn("rows"),          TableColumn("stored elements"),
      TableColumn("interior"),  TableColumn("halo received"), TableColumn("of vector"),
      TableColumn("halo sent"), TableColumn("of vector", 2),  TableColumn("neighbours", 1)};
  Table table(columns);
  for (std::size_t i = 0; i < partition.segments.size(); ++i) {
    const std::int64_t rows = partition.segments[i].rows();
    const ExchangedValues& halo = partition.volumes[i].halo;
    table.add_row({std::to_string(i), format_count(rows),
                   format_count(partition.stored_elements[i]),
                   percent(share(partition.interior_rows[i], rows)), format_count(halo.received),
                   percent(share(halo.received, unknowns)), format_count(halo.sent),
                   percent(share(halo.sent, unknowns)), format_count(neighbours[i])});
  }
  return table;
}

/// What devices have in the least, the mean and the most.
Table table_of_extremes(const PartitionSummary& partition) {
  Table table(std::vector<std::string>{"of a device", "least", "mean", "largest"});
  const auto add = [&](const std::string& what, const std::vector<std::int64_t>& counts) {
    const auto [least, largest] = std::ranges::minmax(counts);
    const std::int64_t sum = std::reduce(counts.begin(), counts.end());
    const double mean = static_cast<double>(sum) / static_cast<double>(counts.size());
    constexpr double many = 1000;  // of three digits whole numbers have all
    table.add_row({what, format_count(least),
                   mean < many ? format_number(mean) : format_count(std::llround(mean)),
                   format_count(largest)});
  };
  add("rows", partition.rows());
  add("stored elements", partition.stored_elements);
  add("interior rows", partition.interior_rows);
  add("halo received", partition.halo_received());
  add("neighbours", partition.neighbour_counts());
  add("values to the largest neighbour", partition.largest_messages());
  return table;
}

}  // namespace

void print_partition(std::ostream& out, const PartitionSummary& partition, TableStyle style) {
  constexpr std::size_t most_lines = 16;
  const std::int64_t unknowns = partition.unknowns();
  print_paragraph(out,
                  std::to_string(partition.segments.size()) +
                      (partition.segments.size() == 1 ? " device, layout " : " devices, layout ") +
                      to_string(partition.layout),
                  style);
  const bool brief = partition.segments.size() > most_lines && style != TableStyle::wide;
  (brief ? table_of_extremes(partition) : table_of_devices(partition)).print(out, style);
  const std::vector<std::int64_t> received = partition.halo_received();
  const std::int64_t volume = std::reduce(received.begin(), received.end());
  std::int64_t whole = 0;
  for (const ExchangeVolume& of_device : partition.volumes) {
    whole = std::max(whole, of_device.peer.received);
  }
  std::vector<std::pair<std::string, std::string>> facts;
  if (brief) {
    facts.push_back({"all halos", format_count(volume) + " values, " +
                                      percent(share(volume, unknowns)) +
                                      " of the vector; --wide: a line a device"});
  }
  facts.push_back({"largest / mean", "rows " + format_number(imbalance(partition.rows())) +
                                         ", stored elements " +
                                         format_number(imbalance(partition.stored_elements)) +
                                         ", halo received " + format_number(imbalance(received))});
  facts.push_back({"whole vector", "a device receives at most " + format_count(whole) +
                                       " values, " + percent(share(whole, unknowns)) + " of it"});
  print_facts(out, facts, style);
}

}  // namespace sparsecast::cli
