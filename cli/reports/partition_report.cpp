#include "cli/reports/partition_report.hpp"

#include <algorithm>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>

#include "cli/reports/table.hpp"
#include "core/formats/bcsr/bcsr.hpp"

namespace sparsecast::cli {
namespace {

std::vector<std::int64_t> per_device(const PartitionReport& report,
                                     const std::function<std::int64_t(std::size_t)>& count) {
  std::vector<std::int64_t> counts;
  for (std::size_t device = 0; device < report.segments.size(); ++device) {
    counts.push_back(count(device));
  }
  return counts;
}

/// Largest by mean, 1 where all are 0.
double imbalance(const std::vector<std::int64_t>& counts) {
  const auto sum = static_cast<double>(std::reduce(counts.begin(), counts.end()));
  const auto largest = static_cast<double>(*std::ranges::max_element(counts));
  return sum > 0 ? largest * static_cast<double>(counts.size()) / sum : 1;
}

double share(std::int64_t part, std::int64_t all) {
  return all > 0 ? static_cast<double>(part) / static_cast<double>(all) : 0;
}

std::vector<std::int64_t> rows(const PartitionReport& report) {
  return per_device(report, [&](std::size_t i) { return report.segments[i].rows(); });
}

std::vector<std::int64_t> halos(const PartitionReport& report) {
  return per_device(report, [&](std::size_t i) { return report.volumes[i].halo.received; });
}

nlohmann::ordered_json to_json(const ExchangedValues& values, std::int64_t unknowns) {
  return {{"received", values.received},
          {"sent", values.sent},
          {"received_share_of_vector", share(values.received, unknowns)},
          {"sent_share_of_vector", share(values.sent, unknowns)}};
}

}  // namespace

PartitionReport report_partition(const CsrView<double>& matrix, int devices, int block_size) {
  const Layout layout = block_layout(block_size);
  PartitionReport report;
  report.block_size = block_size;
  report.segments = partition(matrix, layout, devices, gpu_row_alignment);
  const std::vector<SegmentHalo> halos = find_halos(matrix, report.segments, layout);
  report.volumes = exchange_volumes(report.segments, halos);
  report.interior_rows =
      per_device(report, [&](std::size_t device) { return halos[device].interior_rows; });
  report.stored_elements = per_device(report, [&](std::size_t device) {
    const std::int64_t blocks =
        count_blocks(matrix.pattern(), report.segments[device], block_size).back();
    return blocks * block_size * block_size;
  });
  return report;
}

void print_partition(const PartitionReport& report) {
  const std::int64_t unknowns = report.segments.back().end_row;
  const std::string size = std::to_string(report.block_size);
  std::cout << report.segments.size() << (report.segments.size() == 1 ? " device, " : " devices, ")
            << size << " x " << size << " blocks\n";
  Table table({"device", "rows", "stored elements", "interior rows", "halo received", "of vector",
               "halo sent", "of vector"});
  for (std::size_t i = 0; i < report.segments.size(); ++i) {
    const std::int64_t rows = report.segments[i].rows();
    const ExchangedValues& halo = report.volumes[i].halo;
    table.add_row({std::to_string(i), format_count(rows), format_count(report.stored_elements[i]),
                   format_percent(share(report.interior_rows[i], rows)),
                   format_count(halo.received), format_percent(share(halo.received, unknowns)),
                   format_count(halo.sent), format_percent(share(halo.sent, unknowns))});
  }
  table.print(std::cout);
  const auto whole =
      per_device(report, [&](std::size_t i) { return report.volumes[i].peer.received; });
  std::cout << "largest / mean  rows " << format_number(imbalance(rows(report)))
            << ", stored elements " << format_number(imbalance(report.stored_elements))
            << ", halo received " << format_number(imbalance(halos(report))) << '\n'
            << "whole vector    a device receives at most "
            << format_count(*std::ranges::max_element(whole)) << " values, "
            << format_percent(share(*std::ranges::max_element(whole), unknowns)) << " of it\n";
}

nlohmann::ordered_json to_json(const PartitionReport& report) {
  const std::int64_t unknowns = report.segments.back().end_row;
  nlohmann::ordered_json devices = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < report.segments.size(); ++i) {
    const Segment& segment = report.segments[i];
    const ExchangeVolume& volume = report.volumes[i];
    devices.push_back({{"begin_row", segment.begin_row},
                       {"rows", segment.rows()},
                       {"stored_elements", report.stored_elements[i]},
                       {"interior_rows", report.interior_rows[i]},
                       {"interior_share", share(report.interior_rows[i], segment.rows())},
                       {"halo", to_json(volume.halo, unknowns)},
                       {"peer", to_json(volume.peer, unknowns)},
                       {"staged", to_json(volume.staged, unknowns)}});
  }
  return {{"block", report.block_size},
          {"row_alignment", gpu_row_alignment},
          {"largest_by_mean",
           {{"rows", imbalance(rows(report))},
            {"stored_elements", imbalance(report.stored_elements)},
            {"halo_received", imbalance(halos(report))}}},
          {"devices", devices}};
}

}  // namespace sparsecast::cli
