#include "model/profile/traffic_fields.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "model/profile/curve_fields.hpp"

namespace sparsecast {
namespace {

/// Where the parameters are those of a version with other terms.
const std::string what_to_do = "; refit its samples or calibrate it again";

/// Makes room for the parameters that the file has, or says not to have.
void make_room(const ProfileFields& fields, TrafficProfile& traffic,
               const std::vector<std::string>& undetermined) {
  std::vector<std::string> names = fields.keys();
  names.insert(names.end(), undetermined.begin(), undetermined.end());
  for (const std::string& name : names) {
    try {
      add_parameter(traffic.parameters, name);
    } catch (const Error& error) {
      fields.refuse(name, error.what() + what_to_do);
    }
  }
  const bool is_cpu = traffic.cpu_threads > 0;
  if (traffic.parameters.cpu.has_value() != is_cpu) {
    fields.refuse_object(is_cpu ? "expected those of a CPU" : "expected those of a GPU");
  }
}

/// But those that the samples do not determine.
void list_parameters(ProfileFields& fields, TrafficProfile& traffic,
                     const std::vector<std::string>& undetermined) {
  for (const TrafficParameter& each : parameter_list(traffic.parameters)) {
    if (std::ranges::count(undetermined, each.name) > 0) {
      if (fields.reads()) *each.value = each.neutral;
      continue;
    }
    if (!fields.has(each.name, true)) {
      fields.refuse_object("field '" + each.name + "' is missing" + what_to_do);
    }
    fields.begin(each.name);
    fields.number("value", *each.value, {each.least, each.most});
    fields.unit(each.unit);
    fields.number("log_error", traffic.log_errors[each.name], not_negative);
    fields.end();
  }
}

void residual(ProfileFields& fields, const std::string& group, Residual& residual) {
  ResidualText text;
  if (!fields.reads()) text = to_text(residual);
  fields.begin(group);
  fields.text("mean", text.mean);
  fields.text("range", text.range);
  fields.texts("points", text.points);
  fields.end();
  if (!fields.reads()) return;
  try {
    residual = parse_residual(text, group);
  } catch (const Error& error) {
    fields.refuse(group, error.what());
  }
}

}  // namespace

void list_fields(ProfileFields& fields, GpuShape& gpu) {
  const std::string expected = "expected at least 1, found 0";
  fields.whole_number("multiprocessors", gpu.multiprocessors);
  fields.require(gpu.multiprocessors > 0, expected);
  fields.whole_number("l2_bytes", gpu.l2_bytes);
  fields.require(gpu.l2_bytes > 0, expected);
  fields.whole_number("shared_bytes_per_block", gpu.shared_bytes_per_block);
  fields.require(gpu.shared_bytes_per_block > 0, expected);
}

void list_fields(ProfileFields& fields, TrafficProfile& traffic) {
  if (fields.has("cpu", traffic.cpu_threads > 0)) {
    fields.begin("cpu");
    fields.whole_number("threads", traffic.cpu_threads);
    fields.require(traffic.cpu_threads > 0, "expected at least 1");
    fields.end();
  } else {
    fields.object("gpu", traffic.gpu);
  }
  if (fields.has("layouts", !traffic.layouts.empty())) fields.texts("layouts", traffic.layouts);
  std::vector<std::string> undetermined;
  if (!fields.reads() && !traffic.log_errors.empty()) {
    for (const TrafficParameter& each : parameter_list(traffic.parameters)) {
      if (!traffic.log_errors.contains(each.name)) undetermined.push_back(each.name);
    }
  }
  if (fields.has("undetermined", !undetermined.empty())) {
    fields.texts("undetermined", undetermined);
  }
  fields.begin("parameters");
  if (fields.reads()) make_room(fields, traffic, undetermined);
  list_parameters(fields, traffic, undetermined);
  fields.end();
  fields.whole_number("samples", traffic.samples);
  fields.number("median_error", traffic.median_error, not_negative);
  fields.objects("intervals", traffic.intervals, TextKeys{});
  if (fields.has("physical_intervals", !traffic.physical_intervals.empty())) {
    fields.objects("physical_intervals", traffic.physical_intervals, TextKeys{});
  }
  Residuals& residuals = traffic.parameters.residuals;
  if (!fields.has("residuals", !residuals.empty())) return;
  fields.entries(
      "residuals", residuals, TextKeys{},
      [&fields](const std::string& group, Residual& each) { residual(fields, group, each); });
}

}  // namespace sparsecast
