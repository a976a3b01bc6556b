#include "model/traffic/residual.hpp"

#include <algorithm>
#include <array>
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
  if (group == persistent_iterations_group) return static_cast<std::size_t>(PersistentTrait::count);
  return is_iterations_group(group) ? static_cast<std::size_t>(IterationTrait::count)
                                    : static_cast<std::size_t>(ProductTrait::count);
}

std::string group_of(std::string_view all, const Layout& layout) {
  std::string group(all);
  if (!is_csr_or_blocks(layout)) (group += '-') += layout.format;
  return group;
}

/// Squared distance beyond which nothing is alike: e^-30 of it is left.
constexpr double unlike = 60;

/// Rows of a `ResidualSection`.
constexpr std::size_t weight_row = 0;
constexpr std::size_t varied_row = 1;
constexpr std::size_t before_row = 2;
constexpr std::size_t first_later = 3;

double likeness_of(double squares) {
  return squares < unlike ? std::exp(-squares / 2) : 0;
}

void add_point(double weight, double alike, KnownResidual& known) {
  known.expected += weight * alike;
  known.likeness = std::max(known.likeness, alike);
}

KnownResidual believed(KnownResidual known) {
  known.expected = std::clamp(known.expected, -most_residual, most_residual);
  return known;
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
  double squares = 0;
  for (std::size_t i = 0; i < a.size() && squares < unlike; ++i) {
    squares += (a[i] - b[i]) * (a[i] - b[i]);
  }
  return likeness_of(squares);
}

KnownResidual known_residual(const Residual& residual, const Traits& traits) {
  KnownResidual known;
  if (residual.points.empty()) return known;
  const Traits place = scaled(traits, residual);
  for (const Residual::Point& point : residual.points) {
    add_point(point.weight, likeness(point.traits, place), known);
  }
  return believed(known);
}

ResidualSection::ResidualSection(const Residual& residual, const Traits& traits,
                                 std::size_t varied) {
  if (residual.points.empty()) return;
  mean_ = residual.mean[varied];
  range_ = residual.range[varied];
  const Traits place = scaled(traits, residual);
  later_traits_ = place.size() - varied - 1;
  room_ = residual.points.size();
  rows_.resize((first_later + later_traits_) * room_);
  Traits squares(place.size());
  for (const Residual::Point& point : residual.points) {
    double before = 0;
    double all = 0;
    for (std::size_t i = 0; i < place.size() && all < unlike; ++i) {
      if (i == varied) {
        before = all;
        continue;
      }
      const double apart = point.traits[i] - place[i];
      squares[i] = apart * apart;
      all += squares[i];
    }
    // The trait that varies only adds to it.
    if (!(all < unlike)) continue;
    row(weight_row)[points_] = point.weight;
    row(varied_row)[points_] = point.traits[varied];
    row(before_row)[points_] = before;
    for (std::size_t i = 0; i < later_traits_; ++i) {
      row(first_later + i)[points_] = squares[varied + 1 + i];
    }
    ++points_;
  }
}

KnownResidual ResidualSection::at(double value) const {
  constexpr std::size_t at_once = 64;
  const double place = (value - mean_) / range_;
  KnownResidual known;
  for (std::size_t begin = 0; begin < points_; begin += at_once) {
    const std::size_t count = std::min(at_once, points_ - begin);
    // In the order of traits, as `likeness` adds them up.
    std::array<double, at_once> squares;
    for (std::size_t k = 0; k < count; ++k) {
      const double apart = row(varied_row)[begin + k] - place;
      squares[k] = row(before_row)[begin + k] + apart * apart;
    }
    for (std::size_t i = 0; i < later_traits_; ++i) {
      const double* const later = row(first_later + i) + begin;
      for (std::size_t k = 0; k < count; ++k) squares[k] += later[k];
    }
    const double* const weights = row(weight_row) + begin;
    for (std::size_t k = 0; k < count; ++k) {
      add_point(weights[k], likeness_of(squares[k]), known);
    }
  }
  return believed(known);
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
