#include "cli/commands/bench/paper/paper_options.hpp"

namespace sparsecast::cli {

PaperOptions paper_options(const CommandLine& line) {
  PaperOptions options;
  options.csv = line.get_or("csv", "");
  options.chart = line.get_or("chart", "");
  options.markdown = line.has("markdown");
  options.json = line.has("json");
  if (line.has("markdown") && line.has("json")) {
    throw UsageError("--markdown and --json are given; expected one of them");
  }
  if (line.has("from")) {
    options.from = line.get<std::vector<std::string>>("from");
    refuse_repeated_files("--from", options.from);
  }
  return options;
}

}  // namespace sparsecast::cli
