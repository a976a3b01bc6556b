#include "cli/commands/bench/option_refusals.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace sparsecast::cli {
namespace {

/// An option that some benchmarks have.
struct OptionOf {
  const char* option;
  std::vector<std::string> benchmarks;
};

const std::vector<OptionOf>& options_of_some() {
  static const std::vector<OptionOf> all{{"x", {"formats"}},
                                         {"folder", {"formats", "fusion"}},
                                         {"scale", {"formats", "blocks"}},
                                         {"renumber", {"blocks"}},
                                         {"dot", {"blocks"}},
                                         {"size", {"fusion"}},
                                         {"basis", {"fusion"}},
                                         {"chart", {"formats", "blocks", "fusion"}},
                                         {"set", {"cg", "formats"}},
                                         {"instructions", {"spmv", "blocks"}},
                                         {"layout", {"spmv", "cg", "formats", "blocks"}},
                                         {"block", {"spmv", "cg", "formats", "blocks"}}};
  return all;
}

}  // namespace

void refuse(const CommandLine& line, std::span<const char* const> options,
            const std::string& with) {
  for (const char* option : options) {
    if (!line.has(option)) continue;
    const bool positional = std::string_view(option) == "matrix";
    throw UsageError((positional ? "MATRIX" : "--" + std::string(option)) + ": does nothing " +
                     with + "; leave it out");
  }
}

void refuse(const CommandLine& line, std::initializer_list<const char*> options,
            const std::string& with) {
  refuse(line, std::span(options.begin(), options.size()), with);
}

void refuse_options_of_others(const CommandLine& line, const std::string& what) {
  for (const OptionOf& each : options_of_some()) {
    if (std::ranges::count(each.benchmarks, what) > 0) continue;
    std::string names;
    for (const std::string& name : each.benchmarks) {
      const bool is_last = &name == &each.benchmarks.back();
      names += (names.empty() ? "" : is_last ? " and " : ", ") + name;
    }
    refuse(line, {each.option}, "with " + what + ": it is of " + names);
  }
}

}  // namespace sparsecast::cli
