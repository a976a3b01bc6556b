#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/reports/table.hpp"

namespace sparsecast::cli {

/// What all benchmarks of papers are asked for beside what they measure.
struct PaperOptions {
  std::vector<std::string> from;  ///< measurements of before; empty: to be made
  std::string csv;                ///< files to write, empty: none
  std::string chart;
  TableStyle style = TableStyle::plain;
  bool json = false;
};

/// --from, --csv, --chart, --wide, --markdown and --json. Throws `UsageError`.
PaperOptions paper_options(const CommandLine& line);

}  // namespace sparsecast::cli
