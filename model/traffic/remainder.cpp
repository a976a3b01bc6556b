#include "model/traffic/remainder.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/text/text_fields.hpp"
#include "model/number_list.hpp"

namespace sparsecast {
namespace {

constexpr std::string_view all_iterations = "iterations";

std::vector<double> numbers_of(const std::string& text, std::size_t count) {
  try {
    return parse_number_list(text, count);
  } catch (const Error& error) {
    throw Error(error.what() + (", found " + in_quotes(text)));
  }
}

std::size_t trait_count(std::string_view group) {
  return is_iterations_group(group) ? static_cast<std::size_t>(IterationTrait::count)
                                    : static_cast<std::size_t>(ProductTrait::count);
}

}  // namespace

double remainder_range(std::size_t traits) {
  return std::sqrt(static_cast<double>(traits) / 3);
}

Traits standardised(const Traits& traits, const Remainder& remainder) {
  Traits result(traits.size());
  for (std::size_t i = 0; i < traits.size(); ++i) {
    result[i] = (traits[i] - remainder.mean[i]) / remainder.deviation[i];
  }
  return result;
}

double likeness(const Traits& a, const Traits& b) {
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) squares += (a[i] - b[i]) * (a[i] - b[i]);
  const double range = remainder_range(a.size());
  return std::exp(-squares / (2 * range * range));
}

double expected_remainder(const Remainder& remainder, const Traits& traits) {
  if (remainder.points.empty()) return 0;
  const Traits place = standardised(traits, remainder);
  double sum = 0;
  for (const Remainder::Point& point : remainder.points) {
    sum += point.weight * likeness(point.traits, place);
  }
  return std::clamp(sum, -most_remainder, most_remainder);
}

RemainderText to_text(const Remainder& remainder) {
  RemainderText text{number_list(remainder.mean), number_list(remainder.deviation), {}};
  for (const Remainder::Point& point : remainder.points) {
    text.points.push_back(number_list(point.traits) + ' ' + number_list({&point.weight, 1}));
  }
  return text;
}

Remainder parse_remainder(const RemainderText& text, std::string_view group) {
  const std::size_t count = trait_count(group);
  Remainder remainder{numbers_of(text.mean, count), numbers_of(text.deviation, count), {}};
  if (std::ranges::any_of(remainder.deviation, [](double each) { return !(each > 0); })) {
    throw Error("expected deviations above 0, found " + in_quotes(text.deviation));
  }
  for (const std::string& each : text.points) {
    Traits traits = numbers_of(each, count + 1);
    const double weight = traits.back();
    traits.pop_back();
    remainder.points.push_back({std::move(traits), weight});
  }
  return remainder;
}

std::string iterations_group(const Layout& layout) {
  std::string group(all_iterations);
  if (!is_csr_or_blocks(layout)) (group += '-') += layout.format;
  return group;
}

bool is_iterations_group(std::string_view group) {
  return group.starts_with(all_iterations);
}

std::string_view remainder_group(const Layout& layout) {
  return layout.block_size > 1 && is_csr_or_blocks(layout) ? "blocks" : layout.format;
}

}  // namespace sparsecast
