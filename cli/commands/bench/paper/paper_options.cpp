#include "cli/commands/bench/paper/paper_options.hpp"

#include "cli/reports/table_options.hpp"

namespace sparsecast::cli {

PaperOptions paper_options(const CommandLine& line) {
  PaperOptions options;
  options.csv = line.get_or("csv", "");
  options.chart = line.get_or("chart", "");
  options.style = table_style(line);
  options.json = line.has("json");
  if (line.has("from")) {
    options.from = line.get<std::vector<std::string>>("from");
    refuse_repeated_files("--from", options.from);
  }
  return options;
}

}  // namespace sparsecast::cli
