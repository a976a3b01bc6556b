#include "cli/exports/export_options.hpp"

#include <algorithm>
#include <string>

#include "cli/exports/extra_p_lines.hpp"
#include "cli/exports/ginkgo_json.hpp"
#include "cli/joined.hpp"
#include "core/base/files/file_output.hpp"
#include "core/base/files/text_file.hpp"

namespace sparsecast::cli {

void add_export_options(CommandLine& line) {
  namespace po = boost::program_options;
  line.add()("ginkgo", po::value<std::string>(),
             "write the times to this file as Ginkgo's benchmarks do theirs, for its performance "
             "explorer (docs/exports.md)")(
      "extra-p", po::value<std::string>(),
      "write the times to this file as lines of JSON, .jsonl, for Extra-P (docs/exports.md)");
}

void name_exports(const CommandLine& line, CommandFiles& files) {
  for (const char* option : {"ginkgo", "extra-p"}) files.writes(line, option);
}

bool exports(const CommandLine& line) {
  return line.has("ginkgo") || line.has("extra-p");
}

bool prints_export(const CommandLine& line) {
  return is_standard_output(line.get_or("ginkgo", "")) ||
         is_standard_output(line.get_or("extra-p", ""));
}

void write_exports(const CommandLine& line, std::span<const TimedCase> cases) {
  if (line.has("ginkgo")) {
    const auto& path = line.get<std::string>("ginkgo");
    write_file(path, text_for(path, ginkgo_json(cases)));
  }
  if (!line.has("extra-p")) return;
  const auto& path = line.get<std::string>("extra-p");
  const ExtraPLines lines = extra_p_lines(cases);
  write_file(path, text_for(path, lines.text));
  if (!lines.short_lines.empty()) {
    warn("--extra-p: Extra-P fits a formula from " + std::to_string(ExtraPLines::fewest_points) +
         " points of a parameter on, and finds " + joined(lines.short_lines, ", "));
  }
  if (lines.left_out.empty()) return;
  constexpr std::size_t most_named = 3;
  std::string names;
  for (std::size_t i = 0; i < std::min(most_named, lines.left_out.size()); ++i) {
    names += (names.empty() ? "" : "; ") + lines.left_out[i];
  }
  warn("--extra-p leaves out " + std::to_string(lines.left_out.size()) + " of " +
       std::to_string(lines.series) + " series, so that " +
       std::to_string(lines.series - lines.left_out.size()) +
       " are left: Extra-P refuses what has no time at some of the points: " + names +
       (lines.left_out.size() > most_named ? "; ..." : ""));
}

}  // namespace sparsecast::cli
