#include "cli/layout_options.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "core/base/error.hpp"
#include "core/base/text/text_fields.hpp"
#include "core/formats/registry.hpp"

namespace sparsecast::cli {
namespace {

namespace po = boost::program_options;

/// The layouts of a list, each by `parse`, which refuses what stands behind a last comma.
template <class Parse>
std::vector<Layout> parse_list(const std::string& option, const std::string& text,
                               const Parse& parse) {
  std::vector<Layout> layouts;
  std::string_view rest = text;
  bool more = true;
  while (more) {
    more = rest.find(',') != std::string_view::npos;
    const Layout layout = parse(take_until(rest, ','));
    if (std::ranges::count(layouts, layout) > 0) {
      throw UsageError(option + ' ' + text + ": " + to_string(layout) +
                       " is given twice; give each layout once");
    }
    layouts.push_back(layout);
  }
  return layouts;
}

Layout parse_name(std::string_view name) {
  try {
    return parse_layout(name);
  } catch (const Error& error) {
    throw UsageError("--layout: " + std::string(error.what()));
  }
}

Layout parse_block(std::string_view text) {
  for (const int size : block_sizes) {
    if (text == std::to_string(size)) return block_layout(size);
  }
  throw UsageError("--block " + std::string(text) + ": expected 1, 2, 3, 4, 6 or 8");
}

}  // namespace

void add_layouts_option(CommandLine& line) {
  line.add()("layout", po::value<std::string>(),
             "how the matrix is stored: csr, bcsr4, dia, ... (a list csr,dia,...)")(
      "block,b", po::value<std::string>(),
      "N of N x N blocks: 1,4 is short for --layout csr,bcsr4");
}

void add_layout_option(CommandLine& line) {
  line.add()("layout", po::value<std::string>(),
             "how the matrix is stored: csr, bcsr4, bcsr4-sorted, dia, ...")(
      "block,b", po::value<std::string>(), "N of N x N blocks: 4 is short for --layout bcsr4");
}

std::vector<Layout> layouts_of(const CommandLine& line) {
  if (line.has("block") && line.has("layout")) {
    throw UsageError("--block and --layout are given; expected one of them");
  }
  if (line.has("layout")) {
    return parse_list("--layout", line.get<std::string>("layout"), parse_name);
  }
  if (line.has("block")) {
    return parse_list("--block", line.get<std::string>("block"), parse_block);
  }
  return {};
}

std::optional<Layout> layout_of(const CommandLine& line) {
  const std::vector<Layout> layouts = layouts_of(line);
  if (layouts.empty()) return std::nullopt;
  if (layouts.size() > 1) {
    throw UsageError((line.has("layout") ? "--layout " + line.get<std::string>("layout")
                                         : "--block " + line.get<std::string>("block")) +
                     ": expected one layout");
  }
  return layouts.front();
}

}  // namespace sparsecast::cli
