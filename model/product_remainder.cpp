#include "model/product_remainder.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "model/number_list.hpp"

namespace sparsecast {
namespace {

std::vector<double> numbers_of(const std::string& text, std::size_t count) {
  try {
    return parse_number_list(text, count);
  } catch (const Error& error) {
    throw Error(error.what() + (", found '" + text + "'"));
  }
}

ProductTraits traits_of(const std::string& text) {
  ProductTraits traits{};
  std::ranges::copy(numbers_of(text, traits.size()), traits.begin());
  return traits;
}

}  // namespace

ProductTraits standardised(const ProductTraits& traits, const ProductRemainder& remainder) {
  ProductTraits result;
  for (std::size_t i = 0; i < traits.size(); ++i) {
    result[i] = (traits[i] - remainder.mean[i]) / remainder.deviation[i];
  }
  return result;
}

double likeness(const ProductTraits& a, const ProductTraits& b) {
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) squares += (a[i] - b[i]) * (a[i] - b[i]);
  return std::exp(-squares / (2 * remainder_range * remainder_range));
}

double expected_remainder(const ProductRemainder& remainder, const ProductTraits& traits) {
  const ProductTraits place = standardised(traits, remainder);
  double sum = 0;
  for (const ProductRemainder::Point& point : remainder.points) {
    sum += point.weight * likeness(point.traits, place);
  }
  return std::clamp(sum, -most_remainder, most_remainder);
}

RemainderText to_text(const ProductRemainder& remainder) {
  RemainderText text{number_list(remainder.mean), number_list(remainder.deviation), {}};
  for (const ProductRemainder::Point& point : remainder.points) {
    text.points.push_back(number_list(point.traits) + ' ' + number_list({&point.weight, 1}));
  }
  return text;
}

ProductRemainder parse_remainder(const RemainderText& text) {
  ProductRemainder remainder{traits_of(text.mean), traits_of(text.deviation), {}};
  if (std::ranges::any_of(remainder.deviation, [](double each) { return !(each > 0); })) {
    throw Error("expected deviations above 0, found '" + text.deviation + "'");
  }
  for (const std::string& each : text.points) {
    const std::vector<double> numbers = numbers_of(each, remainder.mean.size() + 1);
    ProductRemainder::Point point;
    std::copy_n(numbers.begin(), point.traits.size(), point.traits.begin());
    point.weight = numbers.back();
    remainder.points.push_back(point);
  }
  return remainder;
}

std::string_view remainder_group(int block_size) {
  return block_size == 1 ? "csr" : "blocks";
}

}  // namespace sparsecast
