#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "predict/validation/data/validation_row.hpp"

namespace sparsecast {

/// A validation as raw data: what was measured and where.
struct ValidationData {
  std::map<std::string, std::string> about;  ///< profile, machine, date, ...
  std::vector<ValidationRow> rows;
  std::string source{};  ///< the file, for messages; of several the first; empty: measured here
};

/// In `about`: how many ranks were on one host, where a network joins what ranks measured.
inline constexpr const char* ranks_per_host_key = "ranks a host";

/// Appends a row, or adds it as a visit to the one of its case (`places`, by `case_key`).
void add_visit(ValidationRow row, std::map<std::string, std::size_t>& places,
               std::vector<ValidationRow>& rows);

/// Whether two descriptions of devices ("run on") are of one kind: the same but for the numbers in
/// "cuda:0", not those of the multiprocessors of a part ("cuda:0/32").
bool same_kind_of_device(const std::string& one, const std::string& another);

/// Several runs on devices of one kind as one, at least one: of each case the fastest. `names` are
/// their files; the first run's order and forecasts of cases come first. Throws `Error` where
/// runs are of different kinds of devices ("run on", but for "cuda:0").
ValidationData merge_validations(std::vector<ValidationData> runs,
                                 std::span<const std::string> names);

}  // namespace sparsecast
