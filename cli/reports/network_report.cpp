#include "cli/reports/network_report.hpp"

#include <string>

#include "model/network/network_file.hpp"
#include "model/network/network_names.hpp"

namespace sparsecast::cli {
namespace {

constexpr double micro = 1e-6;

void add_costs(Table& table, const std::string& transport, const TransportCosts& costs) {
  const auto add = [&](const std::string& what, const Estimate& number, double unit,
                       const char* unit_name) {
    table.add_row({transport, what, format_number(number.value / unit),
                   format_number(number.error / unit), unit_name});
  };
  for (const auto& [of_class, link] : costs.links) {
    const std::string where(link_class_text(of_class));
    add("latency, " + where, link.latency_seconds, micro, "us");
    add("rate, " + where, link.gbps, 1, "GB/s");
    if (link.large_bytes > 0) {
      add("more than " + format_bytes(link.large_bytes) + ", " + where, link.large_seconds, micro,
          "us");
    }
  }
  add("exchange, fixed", costs.fixed_seconds, micro, "us");
  add("exchange, a further neighbour", costs.message_seconds, micro, "us");
  add("sum, fixed", costs.sum.fixed_seconds, micro, "us");
  for (const auto& [of_class, seconds] : costs.sum.doubling_seconds) {
    const bool hosts = of_class == LinkClass::other_host;
    add(hosts ? "sum, twice the hosts" : "sum, twice the ranks of a host", seconds, micro, "us");
  }
}

}  // namespace

void print_network(const NetworkFit& fit, TableStyle style, std::ostream& out) {
  const Network& network = fit.network;
  out << network.description << "\n\n";
  Table table({"transport", "cost", "value", "+-", "unit"});
  for (const auto& [transport, costs] : network.transports) {
    add_costs(table, std::string(to_string(transport)), costs);
  }
  table.print(out, style);
  out << '\n';
  for (const auto& [transport, error] : fit.median_errors) {
    out << "median error by " << to_string(transport) << ": " << format_percent(error) << '\n';
  }
  out << "a rank's times for the same work: within " << format_percent(network.deviation) << '\n';
  if (network.adapter_gbps > 0) {
    out << "adapters of a host: " << network.adapters_per_host << " of "
        << format_number(network.adapter_gbps) << " GB/s\n";
  }
}

}  // namespace sparsecast::cli
