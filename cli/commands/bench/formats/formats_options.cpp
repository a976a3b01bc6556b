#include "cli/commands/bench/formats/formats_options.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include "cli/commands/bench/bench_options.hpp"
#include "cli/commands/bench/formats/statement_rules.hpp"
#include "cli/commands/bench/paper/list_options.hpp"
#include "cli/layout_options.hpp"
#include "core/base/text/name_list.hpp"

namespace sparsecast::cli {
namespace {

namespace po = boost::program_options;

/// The words of a list, one of two or both.
std::vector<std::string> known_words(const std::string& option, const std::string& list,
                                     const char* first, const char* second) {
  std::vector<std::string> words = words_of(option, list);
  for (const std::string& word : words) {
    if (word == first || word == second) continue;
    throw UsageError(option + ' ' + list + ": expected " + first + ", " + second + " or both");
  }
  return words;
}

std::vector<std::string> sets_of(const CommandLine& line) {
  if (!line.has("set")) return {"structured", "unstructured"};
  std::string list;
  for (const std::string& each : line.get<std::vector<std::string>>("set")) {
    list += (list.empty() ? "" : ",") + each;
  }
  return known_words("--set", list, "structured", "unstructured");
}

std::vector<FormatMatrix> matrices_of(const CommandLine& line, int threads) {
  std::vector<FormatMatrix> matrices;
  const auto add = [&](std::vector<FormatMatrix> more) {
    std::ranges::move(more, std::back_inserter(matrices));
  };
  const std::vector<std::string> sets = sets_of(line);
  const auto has = [&](const char* set) { return std::ranges::count(sets, set) > 0; };
  if (has("structured")) {
    for (const double scale : benched_scales(line)) add(structured_matrices(scale, threads));
  } else if (line.has("scale")) {
    throw UsageError("--scale: is of the structured set; add it to --set, or leave it out");
  }
  const std::string folder = line.get_or("folder", "");
  if (has("unstructured")) {
    if (line.has("folder") && !std::filesystem::is_directory(folder)) {
      throw Error("--folder " + folder + ": no folder; expected one with files of Table 4");
    }
    add(unstructured_matrices(folder, threads));
  } else if (line.has("folder")) {
    throw UsageError("--folder: is of the unstructured set; add it to --set, or leave it out");
  }
  return matrices;
}

}  // namespace

void add_formats_options(CommandLine& line) {
  line.add()("folder", po::value<std::string>(),
             "formats: where files of Table 4 are, by their names in the SuiteSparse collection; "
             "fusion: files to solve in place of generated systems")(
      "x", po::value<std::string>(),
      "formats on a GPU: the vector through the L1 cache (l1, default), past it (l2), or l1,l2");
}

FormatsOptions formats_options(const CommandLine& line) {
  FormatsOptions options{paper_options(line), {}};
  if (!options.from.empty()) return options;
  FormatsRequest& request = options.request;
  request.devices = benched_devices(line);
  request.layouts = layouts_of(line);
  request.precisions = benched_precisions(line, "both");
  request.x = known_words("--x", line.get_or("x", "l1"), "l1", "l2");
  if (line.has("x") && std::ranges::none_of(request.devices, is_gpu)) {
    throw UsageError("--x: is of GPUs; add --device cuda:0");
  }
  if (std::ranges::count(request.x, "l1") == 0 && !request.layouts.empty() &&
      std::ranges::none_of(request.layouts,
                           [](const Layout& layout) { return past_l1(layout).has_value(); })) {
    throw UsageError("--x l2: none of these layouts loads the vector past the L1 cache; expected " +
                     one_of(paper_kernels()));
  }
  request.threads = parse_threads(line);
  request.matrices = matrices_of(line, request.threads);
  return options;
}

}  // namespace sparsecast::cli
