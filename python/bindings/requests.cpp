#include "python/bindings/requests.hpp"

#include <algorithm>

#include "model/profile/common_precision.hpp"

namespace sparsecast::python {

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
