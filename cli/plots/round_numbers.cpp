#include "cli/plots/round_numbers.hpp"

#include <cmath>

namespace sparsecast::cli {

namespace {

/// So that a bound which is round belongs to the range.
constexpr double slack = 1e-9;

std::vector<double> of_decades(double low, double high, const std::vector<double>& digits) {
  std::vector<double> numbers;
  const int first = static_cast<int>(std::floor(std::log10(low)));
  const int last = static_cast<int>(std::ceil(std::log10(high)));
  for (int decade = first; decade <= last; ++decade) {
    for (const double digit : digits) {
      const double number = digit * std::pow(10, decade);
      if (number >= low * (1 - slack) && number <= high * (1 + slack)) numbers.push_back(number);
    }
  }
  return numbers;
}

std::vector<double> of_steps(double low, double high, double step) {
  std::vector<double> numbers;
  for (double count = std::ceil(low / step - slack); count * step <= high * (1 + slack); ++count) {
    if (count > 0) numbers.push_back(count * step);
  }
  return numbers;
}

}  // namespace

std::vector<double> round_numbers(double low, double high, std::size_t least) {
  // Narrower ranges would need more digits than labels have.
  constexpr double narrowest = 1e-4;
  if (!(low > 0 && high > low * (1 + narrowest) && std::isfinite(high))) return {};
  for (const std::vector<double>& digits : {std::vector{1.0}, std::vector{1.0, 2.0, 5.0}}) {
    std::vector<double> numbers = of_decades(low, high, digits);
    if (numbers.size() >= least) return numbers;
  }
  for (double decade = std::pow(10, std::floor(std::log10(high - low)));; decade /= 10) {
    for (const double digit : {5.0, 2.0, 1.0}) {
      std::vector<double> numbers = of_steps(low, high, digit * decade);
      if (numbers.size() >= least) return numbers;
    }
  }
}

}  // namespace sparsecast::cli
