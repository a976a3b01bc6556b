#include "cli/reports/calibration_report.hpp"

#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include "cli/reports/prose.hpp"
#include "cli/reports/table.hpp"
#include "core/workload/exchange_mode.hpp"

namespace sparsecast::cli {

using Json = nlohmann::ordered_json;

Table curves_table(const ProfileFit& fit) {
  const std::vector<TableColumn> columns{TableColumn("precision"),
                                         TableColumn::of_names("kernel"),
                                         TableColumn("mu"),
                                         TableColumn("sigma"),
                                         TableColumn("nu GB/s"),
                                         TableColumn("T0"),
                                         TableColumn("half at m"),
                                         TableColumn("error"),
                                         TableColumn("samples", 2),
                                         TableColumn("max. GB/s", 3),
                                         TableColumn("memory GB/s", 1)};
  Table curves(columns);
  for (const KernelFit& kernel : fit.kernels) {
    if (!kernel.ok()) continue;
    const ThroughputCurve& curve = kernel.average.curve;
    const double value_bytes =
        static_cast<double>(bytes_per_value(kernel.precision.value_or(Precision::f64)));
    curves.add_row(
        {kernel.precision ? std::string(to_string(*kernel.precision)) : "both", kernel.key,
         format_fixed(curve.mu, 2),
         format_fixed(curve.sigma, 3) + (kernel.average.latency_bandwidth_law ? "*" : ""),
         format_number(curve.nu), format_seconds(fixed_seconds(curve, value_bytes)),
         format_number(std::round(half_performance_elements(curve))),
         format_fixed_percent(kernel.average.median_relative_error),
         std::to_string(kernel.average.samples), format_number(kernel.maximum.curve.nu),
         curve.memory_nu > 0 ? format_number(curve.memory_nu) : "-"});
  }
  return curves;
}

Table intervals_table(const ProfileFit& fit) {
  Table intervals({"precision", "layout", "median", "90 % from", "to", "matrices"});
  for (const IterationInterval& interval : fit.intervals) {
    intervals.add_row(
        {std::string(to_string(interval.precision)), interval.layout,
         format_fixed(interval.fit.median, 2), format_fixed(interval.fit.ratios.low, 2),
         format_fixed(interval.fit.ratios.high, 2), std::to_string(interval.fit.ratios.samples)});
  }
  return intervals;
}

void print_fits(const ProfileFit& fit, TableStyle style, std::ostream& out) {
  curves_table(fit).print(out, style);
  print_paragraph(out, curves_note, style);
  if (fit.profile.cache) {
    print_paragraph(out,
                    "cache: " + format_bytes(fit.profile.cache->capacity_bytes) +
                        " effective; what a working set does not leave in it comes at memory GB/s.",
                    style);
  }
  if (!fit.profile.links.empty()) {
    out << '\n';
    Table links({"devices", "synchronisation", "exchange GB/s"});
    Table costs({"GPUs", "exchange", "fixed", "GB/s", "hidden", "sum"});
    bool any_costs = false;
    for (const auto& [devices, link] : fit.profile.links) {
      links.add_row({std::to_string(devices), format_seconds(link.sync_seconds),
                     format_number(link.exchange.average.nu)});
      if (!link.costs) continue;
      any_costs = true;
      for (const auto& [mode, of_mode] : link.costs->exchanges) {
        costs.add_row({std::to_string(devices), std::string(to_string(mode)),
                       format_seconds(of_mode.fixed_seconds.value),
                       format_number(of_mode.gbps.value),
                       format_fixed_percent(of_mode.hidden.value),
                       format_seconds(link.costs->sum_seconds.value)});
      }
    }
    links.print(out, style);
    if (any_costs) {
      out << '\n';
      print_paragraph(out, "In iterations (traffic model):", style);
      costs.print(out, style);
    }
  }
  if (!fit.intervals.empty()) {
    out << '\n';
    print_paragraph(out, "Whole iterations on other matrices, measured / predicted time:", style);
    intervals_table(fit).print(out, style);
  }
}

void print_device_constants(const DeviceProfile& profile, std::ostream& out) {
  out << "measured in part, all else as on " << profile.estimated.value().like << "\n\n";
  Table table({"device constant", "", "unit", "+-"});
  std::string meanings;
  TrafficParameters parameters = profile.traffic.value().parameters;
  for (const TrafficParameter& each : parameter_list(parameters)) {
    const auto error = profile.traffic->log_errors.find(each.name);
    if (!is_device_constant(each) || error == profile.traffic->log_errors.end()) continue;
    table.add_row({each.name, format_number(*each.value, "%.4g"), each.unit,
                   format_fixed_percent(error->second)});
    meanings += std::string(each.name) + ": " + each.meaning + '\n';
  }
  table.print(out);
  out << '\n' << meanings;
}

Json device_constants_as_json(const DeviceProfile& profile) {
  Json constants = Json::array();
  TrafficParameters parameters = profile.traffic.value().parameters;
  for (const TrafficParameter& each : parameter_list(parameters)) {
    const auto error = profile.traffic->log_errors.find(each.name);
    if (!is_device_constant(each) || error == profile.traffic->log_errors.end()) continue;
    constants.push_back({{"parameter", each.name},
                         {"unit", each.unit},
                         {"value", *each.value},
                         {"log_error", error->second}});
  }
  return constants;
}

Json fits_as_json(const ProfileFit& fit) {
  Json curves = Json::array();
  for (const KernelFit& kernel : fit.kernels) {
    Json entry{{"precision", kernel.precision ? Json(to_string(*kernel.precision)) : Json()},
               {"kernel", kernel.key},
               {"status", to_string(kernel.average.status)},
               {"samples", kernel.average.samples}};
    if (kernel.ok()) {
      const ThroughputCurve& average = kernel.average.curve;
      const ThroughputCurve& maximum = kernel.maximum.curve;
      const auto errors = kernel.average.standard_errors();
      entry["average"] = {{"mu", average.mu}, {"sigma", average.sigma}, {"nu", average.nu}};
      if (average.memory_nu > 0) entry["average"]["memory_nu"] = average.memory_nu;
      entry["standard_errors"] = {{"mu", errors[0]}, {"sigma", errors[1]}, {"log_nu", errors[2]}};
      entry["maximum"] = {{"mu", maximum.mu}, {"sigma", maximum.sigma}, {"nu", maximum.nu}};
      entry["latency_bandwidth_law"] = kernel.average.latency_bandwidth_law;
      entry["median_relative_error"] = kernel.average.median_relative_error;
      entry["maximum_coverage"] = kernel.maximum.coverage;
    } else {
      entry["reason"] = kernel.average.reason;
    }
    curves.push_back(std::move(entry));
  }
  Json intervals = Json::array();
  for (const IterationInterval& interval : fit.intervals) {
    intervals.push_back({{"precision", to_string(interval.precision)},
                         {"layout", interval.layout},
                         {"median", interval.fit.median},
                         {"low", interval.fit.ratios.low},
                         {"high", interval.fit.ratios.high},
                         {"matrices", interval.fit.ratios.samples}});
  }
  Json links = Json::array();
  for (const auto& [devices, link] : fit.profile.links) {
    links.push_back({{"devices", devices},
                     {"sync_seconds", link.sync_seconds},
                     {"exchange_gbps", link.exchange.average.nu}});
  }
  return {{"device", fit.profile.device},
          {"curves", curves},
          {"intervals", intervals},
          {"links", links},
          {"warnings", fit.warnings}};
}

}  // namespace sparsecast::cli
