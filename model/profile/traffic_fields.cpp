#include "model/profile/traffic_fields.hpp"

#include "model/profile/curve_fields.hpp"

namespace sparsecast {
namespace {

/// Where the parameters are those of a version with other terms.
const std::string what_to_do = "; fit its samples again (calibrate --refit) or calibrate again";

/// Makes room for the parameters that the file has.
void make_room(const ProfileFields& fields, TrafficProfile& traffic) {
  for (const std::string& name : fields.keys()) {
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

void list_parameters(ProfileFields& fields, TrafficProfile& traffic) {
  if (fields.reads()) make_room(fields, traffic);
  for (const TrafficParameter& each : parameter_list(traffic.parameters)) {
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

void remainder(ProfileFields& fields, const std::string& group, Remainder& remainder) {
  RemainderText text;
  if (!fields.reads()) text = to_text(remainder);
  fields.begin(group);
  fields.text("mean", text.mean);
  fields.text("deviation", text.deviation);
  fields.texts("points", text.points);
  fields.end();
  if (!fields.reads()) return;
  try {
    remainder = parse_remainder(text, group);
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
  fields.begin("parameters");
  list_parameters(fields, traffic);
  fields.end();
  fields.whole_number("samples", traffic.samples);
  fields.number("median_error", traffic.median_error, not_negative);
  fields.objects("intervals", traffic.intervals, TextKeys{});
  Remainders& remainders = traffic.parameters.remainders;
  if (!fields.has("remainders", !remainders.empty())) return;
  fields.entries("remainders", remainders, precision_keys,
                 [&fields](const std::string& precision, auto& groups) {
                   fields.entries(precision, groups, TextKeys{},
                                  [&fields](const std::string& group, Remainder& each) {
                                    remainder(fields, group, each);
                                  });
                 });
}

}  // namespace sparsecast
