#pragma once

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/statistics.hpp"
#include "predict/validation/data/validation_row.hpp"

/// @file
/// How cases are put together before their numbers are summed up. A matrix counts once: cases with
/// the same pattern are averaged first.

namespace sparsecast {

/// The mean of a quantity over the cases of each pattern.
template <class Quantity>
std::vector<double> by_pattern(std::span<const ValidationRow> rows, Quantity quantity) {
  std::map<std::string, std::vector<double>> groups;
  for (const ValidationRow& row : rows) groups[row.pattern].push_back(quantity(row));
  std::vector<double> means;
  for (const auto& [pattern, values] : groups) means.push_back(mean(values));
  return means;
}

/// Cases of one stratum of `working_set_strata`.
struct StratumRows {
  std::string_view name;
  std::vector<ValidationRow> rows;
};

/// By working set, those strata that have cases.
std::vector<StratumRows> by_stratum(std::span<const ValidationRow> rows);

/// Those for which the condition holds.
template <class Condition>
std::vector<ValidationRow> select(std::span<const ValidationRow> rows, Condition condition) {
  std::vector<ValidationRow> selected;
  std::ranges::copy_if(rows, std::back_inserter(selected), condition);
  return selected;
}

}  // namespace sparsecast
