#include "predict/unasked_layouts.hpp"

#include <algorithm>
#include <string>

#include "core/formats/registry.hpp"

namespace sparsecast {

bool is_forecast_unasked(const PatternNumbers& numbers, const Layout& layout) {
  if (layout.row_order == RowOrder::sorted) return false;
  if (format_of(layout).may_pay == nullptr) return false;
  return layout.block_size > 1 || may_pay(numbers, layout);
}

bool knows_products(const DeviceProfile& profile, Precision precision, const Layout& layout) {
  const std::string name = to_string(layout);
  if (!profile.traffic) return profile.at(precision).curves.contains(spmv_curve_key(name));
  const auto any_begins = [&](const auto& kinds) {
    const auto found = kinds.find(precision);
    return found != kinds.end() && std::ranges::any_of(found->second, [&](const auto& entry) {
             return entry.first.starts_with(name);
           });
  };
  const TrafficParameters& parameters = profile.traffic->parameters;
  return any_begins(parameters.products) || any_begins(parameters.cpu_products);
}

}  // namespace sparsecast
