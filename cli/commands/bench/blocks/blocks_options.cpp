#include "cli/commands/bench/blocks/blocks_options.hpp"

#include <algorithm>
#include <iterator>

#include "cli/commands/bench/bench_options.hpp"
#include "cli/commands/bench/paper/list_options.hpp"
#include "cli/layout_options.hpp"
#include "core/cuda/vector/two_kernel_dot.hpp"

namespace sparsecast::cli {
namespace {

namespace po = boost::program_options;

std::vector<Renumbering> orders_of(const CommandLine& line) {
  const std::string list = line.get_or("renumber", "none,rcm,random");
  std::vector<Renumbering> orders;
  for (const std::string& word : words_of("--renumber", list)) {
    if (word != "none" && word != "rcm" && word != "random") {
      throw UsageError("--renumber " + list + ": expected none, rcm, random or a list of those");
    }
    orders.push_back(parse_renumbering(word));
  }
  return orders;
}

std::vector<int> dots_of(const CommandLine& line) {
  if (!line.has("dot")) return {std::begin(two_kernel_dot_sizes), std::end(two_kernel_dot_sizes)};
  const auto& list = line.get<std::string>("dot");
  words_of("--dot", list);
  std::vector<int> dots = parse_int_list("--dot", list);
  for (const int values : dots) {
    if (std::ranges::count(two_kernel_dot_sizes, values) > 0) continue;
    throw UsageError("--dot " + list + ": expected 128, 256, 512, 1024, 2048, 4096 or a list");
  }
  return dots;
}

}  // namespace

void add_blocks_options(CommandLine& line) {
  line.add()(
      "renumber", po::value<std::string>(),
      "blocks: orders of vertices, none,rcm,random (default) or some of them; solvers run in "
      "the first")("dot", po::value<std::string>(),
                   "blocks on a GPU: values that a thread block of a dot product sums, 128 to "
                   "4096; a list (all)");
}

BlocksOptions blocks_options(const CommandLine& line) {
  BlocksOptions options{paper_options(line), {}};
  if (!options.from.empty()) return options;
  BlocksRequest& request = options.request;
  request.devices = benched_devices(line);
  request.layouts = layouts_of(line);
  request.precisions = benched_precisions(line, "f32");
  request.orders = orders_of(line);
  request.dots = dots_of(line);
  request.scales = benched_scales(line);
  if (line.has("dot") && std::ranges::none_of(request.devices, is_gpu)) {
    throw UsageError("--dot: is of GPUs; add --device cuda:0");
  }
  if (std::ranges::count(request.devices, "cpu") == 0) {
    for (const char* option : {"threads", "instructions"}) {
      if (!line.has(option)) continue;
      throw UsageError("--" + std::string(option) + ": is of the CPU; add --device cpu");
    }
  }
  request.threads = parse_threads(line);
  return options;
}

}  // namespace sparsecast::cli
