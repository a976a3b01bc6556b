#include "cli/commands/bench/fusion/fusion_options.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "cli/commands/bench/fusion/gram_schmidt.hpp"
#include "cli/commands/bench/paper/list_options.hpp"
#include "core/base/text/decimal.hpp"

namespace sparsecast::cli {
namespace {

namespace po = boost::program_options;

std::vector<std::int64_t> sizes_of(const CommandLine& line) {
  if (!line.has("size")) return figure1_sizes();
  // One is no grid, and columns have 31 bits.
  constexpr double least = 16;
  constexpr double most = 1e8;
  const auto& list = line.get<std::string>("size");
  std::vector<std::int64_t> sizes;
  for (const std::string& word : words_of("--size", list)) {
    double size = 0;
    const bool is_number = parse_decimal(word, size) == DecimalStatus::ok;
    if (!is_number || size < least || size > most || size != std::floor(size)) {
      throw UsageError("--size " + list + ": expected unknowns, 16 to 1e8, or a list of those");
    }
    sizes.push_back(static_cast<std::int64_t>(size));
  }
  std::ranges::sort(sizes);
  if (std::ranges::adjacent_find(sizes) != sizes.end()) {
    throw UsageError("--size " + list + ": names a size twice");
  }
  return sizes;
}

std::vector<int> bases_of(const CommandLine& line) {
  if (!line.has("basis")) return figure2_bases();
  const auto& list = line.get<std::string>("basis");
  words_of("--basis", list);
  std::vector<int> bases = parse_int_list("--basis", list);
  std::ranges::sort(bases);
  if (bases.back() > most_basis_vectors) {
    throw UsageError("--basis " + list + ": expected vectors, 1 to " +
                     std::to_string(most_basis_vectors) + ", or a list of those");
  }
  return bases;
}

}  // namespace

void add_fusion_options(CommandLine& line) {
  line.add()("size", po::value<std::string>(),
             "fusion: unknowns of grids and values of vectors, 16 to 1e8; a list "
             "(1e3,1e4,1e5,1e6,1e7)")("basis", po::value<std::string>(),
                                      "fusion: vectors of Gram-Schmidt's basis, 1 to 64; a list "
                                      "(1,2,5,10,20,30,40,50)");
}

FusionOptions fusion_options(const CommandLine& line) {
  FusionOptions options{paper_options(line), {}};
  if (!options.from.empty()) return options;
  FusionRequest& request = options.request;
  request.devices = benched_devices(line);
  request.precisions = benched_precisions(line, "f64");
  request.sizes = sizes_of(line);
  request.bases = bases_of(line);
  request.threads = parse_threads(line);
  const bool is_solved = std::ranges::count(request.precisions, Precision::f64) > 0;
  if (line.has("folder") && !is_solved) {
    throw UsageError("--folder: systems are solved in f64; add --precision both");
  }
  request.systems = line.has("folder")
                        ? systems_in(line.get<std::string>("folder"), request.threads)
                        : generated_systems(request.sizes, request.threads);
  return options;
}

}  // namespace sparsecast::cli
