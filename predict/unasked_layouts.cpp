#include "predict/unasked_layouts.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "core/formats/registry.hpp"
#include "model/traffic/gpu_pricer.hpp"

namespace sparsecast {

namespace {

/// Whether the values of blocks alone are more bytes than CSR reads for its nonzeros in f32, 64
/// bytes of memory for each gathered value included: 4 + 4 + 64 against 4 times the fill.
bool is_hopeless(const PatternNumbers& numbers, int block_size) {
  constexpr double most_fill = 18;
  return numbers.blocks_of(block_size) * block_size * block_size > most_fill * numbers.nonzeros;
}

}  // namespace

bool is_forecast_unasked(const PatternNumbers& numbers, const Layout& layout) {
  if (is_csr_or_blocks(layout) && layout.block_size > 1 && layout.row_order == RowOrder::natural) {
    return !is_hopeless(numbers, layout.block_size);
  }
  return may_pay(numbers, layout);
}

bool knows_products(const DeviceProfile& profile, Precision precision, const Layout& layout) {
  const std::string name = to_string(layout);
  if (!profile.traffic) return profile.at(precision).curves.contains(spmv_curve_key(name));
  const auto any_begins = [](const auto& kinds, const std::string& key) {
    return std::ranges::any_of(kinds,
                               [&key](const auto& entry) { return entry.first.starts_with(key); });
  };
  const TrafficParameters& parameters = profile.traffic->parameters;
  if (!parameters.cpu) {
    const std::vector<std::string>& measured = profile.traffic->layouts;
    if (!measured.empty()) {
      return std::ranges::count(measured, layout_key(precision, layout)) > 0;
    }
    return any_begins(parameters.products, product_key(layout));
  }
  const auto found = parameters.cpu_products.find(precision);
  return found != parameters.cpu_products.end() && any_begins(found->second, name);
}

}  // namespace sparsecast
