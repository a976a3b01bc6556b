#pragma once

#include <functional>
#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands/bench/paper/judgement.hpp"
#include "core/base/files/text_file.hpp"

/// @file
/// What the benchmarks of papers do with what they measured.

namespace sparsecast::cli {

/// Hears of every measurement, with the share that is done, and says whether to go on.
using ProgressReport = std::function<bool(double, const std::string&)>;

/// Calls `measure` with what shows a bar of progress, and ends it at Ctrl-C.
void measure_with_progress(const std::string& title,
                           const std::function<void(const ProgressReport&)>& measure);

/// The measurements of several files. Throws like `parse`.
template <class Measurement>
std::vector<Measurement> read_measured(const std::vector<std::string>& files,
                                       std::vector<Measurement> (*parse)(std::string_view text,
                                                                         const std::string& name)) {
  std::vector<Measurement> all;
  for (const std::string& file : files) {
    const std::vector<Measurement> more = parse(read_text(file), file);
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

/// Writes a file of measurements; nothing where --csv is not given.
void write_measured(const std::string& csv, const std::string& text);

/// Where a report goes: not between the lines of a file on standard output.
std::ostream& report_stream(const std::string& csv);

/// Prints an object with both.
void print_measured_json(nlohmann::ordered_json measurements,
                         const std::vector<Judgement>& judgements);

}  // namespace sparsecast::cli
