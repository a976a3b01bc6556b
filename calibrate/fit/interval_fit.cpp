#include "calibrate/fit/interval_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "calibrate/fit/median.hpp"

namespace sparsecast {

namespace {

/// 0.95 quantiles of Student's t for 2 to 18 degrees of freedom (Abramowitz and Stegun, table
/// 26.10).
constexpr std::array<double, 17> student_95{2.920, 2.353, 2.132, 2.015, 1.943, 1.895,
                                            1.860, 1.833, 1.812, 1.796, 1.782, 1.771,
                                            1.761, 1.753, 1.746, 1.740, 1.734};

}  // namespace

std::optional<IntervalFit> interval_of(std::span<const double> ratios) {
  constexpr std::size_t least = 3;
  constexpr double tail = 0.05;
  const std::size_t n = ratios.size();
  if (n < least) return std::nullopt;
  std::vector<double> sorted(ratios.begin(), ratios.end());
  std::ranges::sort(sorted);
  IntervalFit fit;
  fit.median = median(sorted);
  fit.ratios.samples = static_cast<int>(n);
  constexpr double rounding = 1e-9;
  const double ranks = static_cast<double>(n + 1);
  const double low_rank = std::floor(tail * ranks + rounding);
  const double high_rank = std::ceil((1 - tail) * ranks - rounding);
  if (low_rank >= 1 && high_rank <= static_cast<double>(n)) {
    fit.ratios.low = sorted[static_cast<std::size_t>(low_rank) - 1];
    fit.ratios.high = sorted[static_cast<std::size_t>(high_rank) - 1];
    return fit;
  }
  fit.assumed_log_normal = true;
  double mean = 0;
  for (const double ratio : sorted) mean += std::log(ratio) / static_cast<double>(n);
  double squares = 0;
  for (const double ratio : sorted) squares += std::pow(std::log(ratio) - mean, 2);
  const double deviation = std::sqrt(squares / static_cast<double>(n - 1));
  const double half_width =
      student_95[n - least] * deviation * std::sqrt(1 + 1 / static_cast<double>(n));
  fit.ratios.low = std::min(sorted.front(), std::exp(mean - half_width));
  fit.ratios.high = std::max(sorted.back(), std::exp(mean + half_width));
  return fit;
}

}  // namespace sparsecast
