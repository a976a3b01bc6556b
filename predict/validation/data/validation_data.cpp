#include "predict/validation/data/validation_data.hpp"

#include <cstddef>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/visits.hpp"

namespace sparsecast {

namespace {

/// What is left of "NVIDIA H200, cuda:0" without its number, and the multiprocessors of a part
/// ("cuda:0/32"): of the first of several runs.
std::string kind_of_device(const std::string& runs) {
  const std::string run_on = runs.substr(0, runs.find(';'));
  const std::size_t place = run_on.find(", cuda:");
  if (place == std::string::npos) return run_on;
  const std::size_t part = run_on.find('/', place);
  return run_on.substr(0, place) + (part == std::string::npos ? "" : run_on.substr(part));
}

}  // namespace

void add_visit(ValidationRow row, std::map<std::string, std::size_t>& places,
               std::vector<ValidationRow>& rows) {
  const std::string key = case_key(row);
  add_visit(std::move(row), key, &ValidationRow::measured_seconds, &ValidationRow::measured_error,
            places, rows);
}

bool same_kind_of_device(const std::string& one, const std::string& another) {
  return kind_of_device(one) == kind_of_device(another);
}

ValidationData merge_validations(std::vector<ValidationData> runs,
                                 std::span<const std::string> names) {
  constexpr const char* device_key = "run on";
  ValidationData merged = std::move(runs.front());
  merged.source = names.front();
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < merged.rows.size(); ++i) {
    places.try_emplace(case_key(merged.rows[i]), i);
  }
  for (std::size_t run = 1; run < runs.size(); ++run) {
    ValidationData& data = runs[run];
    const std::string& device = data.about[device_key];
    const std::string& devices = merged.about[device_key];
    if (!same_kind_of_device(device, devices)) {
      throw Error(names[run] + ": measured on '" + device + "', " + names[0] + " on '" + devices +
                  "'; name runs on one kind of device");
    }
    add_run(merged.about, data.about);
    for (ValidationRow& row : data.rows) add_visit(std::move(row), places, merged.rows);
  }
  return merged;
}

}  // namespace sparsecast
