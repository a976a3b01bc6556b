#include "cli/commands/bench/formats/formats_options.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <utility>

#include "cli/commands/bench/bench_options.hpp"
#include "cli/layout_options.hpp"
#include "core/base/text/decimal.hpp"
#include "core/base/text/text_fields.hpp"

namespace sparsecast::cli {
namespace {

namespace po = boost::program_options;

/// The words of a list, each once.
std::vector<std::string> words_of(const std::string& option, const std::string& list) {
  std::vector<std::string> words;
  std::string_view rest = list;
  bool more = true;
  while (more) {
    more = rest.find(',') != std::string_view::npos;
    const std::string word(take_until(rest, ','));
    if (std::ranges::count(words, word) > 0) {
      throw UsageError(option + ' ' + list + ": " + word + " is given twice; give it once");
    }
    words.push_back(word);
  }
  return words;
}

/// The same of words that are known.
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

std::vector<double> scales_of(const CommandLine& line) {
  constexpr double least = 1e-3;
  constexpr double most = 64;
  std::vector<double> scales;
  const std::string list = line.get_or("scale", "1");
  for (const std::string& word : words_of("--scale", list)) {
    double scale = 0;
    if (parse_decimal(word, scale) != DecimalStatus::ok || scale < least || scale > most) {
      throw UsageError("--scale " + list + ": expected 0.001 to 64, or a list of those");
    }
    scales.push_back(scale);
  }
  return scales;
}

std::vector<std::string> devices_of(const CommandLine& line) {
  const std::string list = line.get_or("device", "cpu");
  std::vector<std::string> devices = words_of("--device", list);
  for (const std::string& device : devices) {
    if (device == "cpu") continue;
    if (!is_gpu(device)) {
      throw UsageError("--device " + list +
                       ": expected cpu, a GPU, as in cuda:0, or a list of those");
    }
    benched_gpu(device);
  }
  return devices;
}

std::vector<Precision> precisions_of(const CommandLine& line) {
  const std::string text = line.get_or("precision", "both");
  if (text == "both") return {Precision::f32, Precision::f64};
  return {parse_precision("--precision", text)};
}

std::vector<FormatMatrix> matrices_of(const CommandLine& line, int threads) {
  std::vector<FormatMatrix> matrices;
  const auto add = [&](std::vector<FormatMatrix> more) {
    std::ranges::move(more, std::back_inserter(matrices));
  };
  const std::vector<std::string> sets = sets_of(line);
  const auto has = [&](const char* set) { return std::ranges::count(sets, set) > 0; };
  if (has("structured")) {
    for (const double scale : scales_of(line)) add(structured_matrices(scale, threads));
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
  line.add()("scale", po::value<std::string>(),
             "formats: rows of the structured set over the paper's 10^6; a list 1,27")(
      "folder", po::value<std::string>(),
      "formats: where files of Table 4 are, by their names in the SuiteSparse collection")(
      "x", po::value<std::string>(),
      "formats on a GPU: the vector through the L1 cache (l1, default), past it (l2), or l1,l2")(
      "markdown", "formats: print tables in Markdown");
}

const std::vector<const char*>& formats_option_names() {
  static const std::vector<const char*> names{"scale", "folder", "x", "markdown"};
  return names;
}

FormatsOptions formats_options(const CommandLine& line) {
  FormatsOptions options;
  options.csv = line.get_or("csv", "");
  options.markdown = line.has("markdown");
  options.json = line.has("json");
  if (options.markdown && options.json) {
    throw UsageError("--markdown and --json are given; expected one of them");
  }
  if (line.has("from")) {
    options.from = line.get<std::vector<std::string>>("from");
    refuse_repeated_files("--from", options.from);
    return options;
  }
  FormatsRequest& request = options.request;
  request.devices = devices_of(line);
  request.layouts = layouts_of(line);
  request.precisions = precisions_of(line);
  request.x = known_words("--x", line.get_or("x", "l1"), "l1", "l2");
  if (line.has("x") && std::ranges::none_of(request.devices, is_gpu)) {
    throw UsageError("--x: is of GPUs; add --device cuda:0");
  }
  request.threads = parse_threads(line);
  request.matrices = matrices_of(line, request.threads);
  return options;
}

}  // namespace sparsecast::cli
