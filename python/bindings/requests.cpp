#include "python/bindings/requests.hpp"

#include <algorithm>
#include <string>

#include "model/profile/common_precision.hpp"
#include "predict/most_devices.hpp"

namespace sparsecast::python {
namespace {

/// What to give for a profile to be priced by curves.
constexpr const char* by_paper = "sparsecast.Profile(NAME, model=\"paper\")";

}  // namespace

int device_count(const std::string& name, py::handle value) {
  const std::int64_t count = whole_of(name, value);
  if (count < 1 || count > most_devices) {
    refuse_argument(
        name, "expected 1 to " + std::to_string(most_devices) + ", found " + found_text(value));
  }
  return static_cast<int>(count);
}

SystemNumbers system_numbers(const Arguments& arguments) {
  SystemNumbers numbers;
  arguments.read("unknowns", numbers.unknowns);
  arguments.read("elements", numbers.elements);
  arguments.read("layout", numbers.layout);
  arguments.read("deviation", numbers.rows.deviation);
  arguments.read("longest", numbers.rows.longest);
  arguments.read("mean_distance", numbers.rows.mean_distance);
  arguments.read("neighbours", numbers.rows.neighbours);
  arguments.read("similarity", numbers.rows.similarity);
  return numbers;
}

Precision precision_for(const Arguments& arguments, std::span<const DeviceProfile> profiles) {
  Precision precision{};
  if (!arguments.has("precision")) return common_precision(profiles);
  arguments.read("precision", precision);
  return precision;
}

void read_devices(const Arguments& arguments, const char* name, int& devices) {
  if (arguments.has(name)) devices = device_count(name, arguments.at(name));
}

void read_devices(const Arguments& arguments, const char* name, std::vector<int>& devices) {
  if (!arguments.has(name)) return;
  devices.clear();
  for (const py::object& each : several_of(name, arguments.at(name))) {
    devices.push_back(device_count(name, each));
  }
}

CurveKind curve_of(const Arguments& arguments, std::span<const DeviceProfile> profiles) {
  CurveKind curve = CurveKind::average;
  arguments.read("curve", curve);
  if (curve == CurveKind::average) return curve;
  for (const DeviceProfile& profile : profiles) {
    if (!profile.traffic) continue;
    refuse_argument("curve", "profile " + profile.name +
                                 " is priced by the traffic model, which has no curves; use " +
                                 by_paper);
  }
  return curve;
}

std::int64_t iterations_of(const Arguments& arguments) {
  if (!arguments.has("iterations")) return 0;
  const std::int64_t iterations = whole_of("iterations", arguments.at("iterations"));
  if (iterations < 1) refuse_argument("iterations", "expected a positive whole number");
  return iterations;
}

Renumbering order_of(const Arguments& arguments, const Subject& subject) {
  Renumbering how = Renumbering::none;
  arguments.read("renumber", how, parse_renumbering);
  if (subject.features != nullptr && how != Renumbering::none) {
    refuse_argument("renumber", "features have no entries to order; count them in that order");
  }
  return how;
}

std::vector<DeviceProfile> copies_of(const std::vector<const DeviceProfile*>& profiles) {
  if (profiles.empty()) refuse_argument("profiles", "expected at least one");
  std::vector<DeviceProfile> copies;
  for (const DeviceProfile* profile : profiles) {
    if (std::ranges::find(copies, profile->name, &DeviceProfile::name) != copies.end()) {
      refuse_argument("profiles", "'" + profile->name + "' is given twice; give each profile once");
    }
    copies.push_back(*profile);
  }
  return copies;
}

}  // namespace sparsecast::python
