#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "predict/validation/data/validation_row.hpp"

namespace sparsecast {

/// Errors of time of the cases themselves, not of matrices: a user runs one of them. Of one kind
/// and working set.
struct CaseLine {
  std::string kind;     ///< "recommended", "iterations by graph", "products by graph"
  std::string stratum;  ///< of `working_set_strata`, or "all"
  std::size_t cases = 0;
  double mean = 0;
  double median = 0;
  double p95 = 0;
  double worst = 0;
  std::optional<double> coverage;  ///< share of 90 % intervals that hold the measured time
  std::optional<double> width;     ///< mean of their widths over the measured time
  /// Whether so few, or so many, would hold by chance in less than one of a hundred such sets, were
  /// it 90 % of each (binomial, both sides together).
  bool unlikely = false;
};

/// Recommended cases first, then iterations of all schedules and products by launch mode; each by
/// working set and "all" last. Cases without a forecast take no part.
std::vector<CaseLine> summarize_cases(std::span<const ValidationRow> rows);

/// The probability that a binomial number of `cases` with this share lies as far from its mean as
/// `held` or further: twice the smaller tail, at most 1.
double binomial_tail(std::size_t held, std::size_t cases, double share);

}  // namespace sparsecast
