#include "model/traffic/residual.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/text/text_fields.hpp"
#include "model/number_list.hpp"

namespace sparsecast {
namespace {

constexpr std::string_view all_products = "products";
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

std::string group_of(std::string_view all, const Layout& layout) {
  std::string group(all);
  if (!is_csr_or_blocks(layout)) (group += '-') += layout.format;
  return group;
}

}  // namespace

Traits scaled(const Traits& traits, const Residual& residual) {
  Traits result(traits.size());
  for (std::size_t i = 0; i < traits.size(); ++i) {
    result[i] = (traits[i] - residual.mean[i]) / residual.range[i];
  }
  return result;
}

double likeness(const Traits& a, const Traits& b) {
  constexpr double unlike = 60;  // e^-30 of it is left
  double squares = 0;
  for (std::size_t i = 0; i < a.size() && squares < unlike; ++i) {
    squares += (a[i] - b[i]) * (a[i] - b[i]);
  }
  return squares < unlike ? std::exp(-squares / 2) : 0;
}

KnownResidual known_residual(const Residual& residual, const Traits& traits) {
  KnownResidual known;
  if (residual.points.empty()) return known;
  const Traits place = scaled(traits, residual);
  for (const Residual::Point& point : residual.points) {
    const double alike = likeness(point.traits, place);
    known.expected += point.weight * alike;
    known.likeness = std::max(known.likeness, alike);
  }
  known.expected = std::clamp(known.expected, -most_residual, most_residual);
  return known;
}

ResidualText to_text(const Residual& residual) {
  ResidualText text{number_list(residual.mean), number_list(residual.range), {}};
  for (const Residual::Point& point : residual.points) {
    text.points.push_back(number_list(point.traits) + ' ' + number_list({&point.weight, 1}));
  }
  return text;
}

Residual parse_residual(const ResidualText& text, std::string_view group) {
  const std::size_t count = trait_count(group);
  Residual residual{numbers_of(text.mean, count), numbers_of(text.range, count), {}};
  if (std::ranges::any_of(residual.range, [](double each) { return !(each > 0); })) {
    throw Error("expected ranges above 0, found " + in_quotes(text.range));
  }
  for (const std::string& each : text.points) {
    Traits traits = numbers_of(each, count + 1);
    const double weight = traits.back();
    traits.pop_back();
    residual.points.push_back({std::move(traits), weight});
  }
  return residual;
}

std::string products_group(const Layout& layout) {
  return group_of(all_products, layout);
}

std::string iterations_group(const Layout& layout) {
  return group_of(all_iterations, layout);
}

bool is_iterations_group(std::string_view group) {
  return group.starts_with(all_iterations);
}

}  // namespace sparsecast
