#include "core/workload/gpu_execution.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <type_traits>

#include "core/base/error.hpp"
#include "core/base/text/text_fields.hpp"

namespace sparsecast {
namespace {

/// Pairs of fields that end the text, up to the last that is not 0.
template <class Execution, class Function>
void for_each_added_pair(Execution& execution, const Function& function) {
  auto& loads = execution.product.loads;
  auto& persistent = execution.persistent;
  function(loads.added_lines, loads.added_rows);
  function(persistent.most_halo_lines, persistent.most_moved_bytes);
  function(loads.piece_sectors, loads.spared_sectors);
}

/// All others, in their order in the text.
template <class Execution, class Function>
void for_each_field(Execution& execution, const Function& function) {
  auto& product = execution.product;
  function(product.lanes);
  function(product.streams);
  function(product.threads);
  function(product.rows_per_block);
  function(product.blocks);
  function(product.longest_short_row);
  function(product.piece_length);
  function(product.long_rows);
  function(product.pieces);
  function(product.loads.passes);
  function(product.loads.lines);
  auto& persistent = execution.persistent;
  function(persistent.blocks);
  function(persistent.threads);
  function(persistent.lanes);
  function(persistent.block_size);
  function(persistent.clustered);
  function(persistent.fits);
  function(persistent.balanced);
  function(persistent.chosen);
  function(persistent.steps);
  function(persistent.most_steps);
  function(persistent.resident_share);
  function(persistent.halo);
  function(persistent.largest_halo);
  function(persistent.moved_bytes);
  function(persistent.window_bytes);
}

}  // namespace

std::string to_text(const GpuExecution& execution) {
  std::string text;
  const auto add = [&](auto value) {
    text += (text.empty() ? "" : ";") + number_text(static_cast<double>(value));
  };
  for_each_field(execution, add);
  std::string added;
  for_each_added_pair(execution, [&](double first, double second) {
    added += ';' + number_text(first) + ';' + number_text(second);
    if (first == 0 && second == 0) return;
    text += added;
    added.clear();
  });
  return text;
}

GpuExecution parse_gpu_execution(std::string_view text) {
  GpuExecution execution;
  const char* from = text.data();
  const char* const last = text.data() + text.size();
  bool good = true;
  bool first = true;
  const auto read = [&](auto& value) {
    if (!first && good) good = from < last && *from++ == ';';
    first = false;
    double number = 0;
    const auto [end, status] = std::from_chars(from, last, number);
    good = good && status == std::errc{} && std::isfinite(number);
    using Value = std::remove_reference_t<decltype(value)>;
    if constexpr (std::is_integral_v<Value>) {
      good = good && std::abs(number) < std::ldexp(1.0, std::numeric_limits<Value>::digits);
    }
    if (good) value = static_cast<Value>(number);
    from = end;
  };
  for_each_field(execution, read);
  for_each_added_pair(execution, [&](double& one, double& other) {
    if (!good || from == last) return;
    read(one);
    read(other);
  });
  if (!good || from != last) {
    throw Error(in_quotes(text) +
                " is no execution on a GPU; expected its numbers, with ';' between, as this "
                "version writes them");
  }
  return execution;
}

}  // namespace sparsecast
