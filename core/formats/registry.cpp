#include "core/formats/registry.hpp"

#include <algorithm>
#include <array>

#include "core/base/error.hpp"
#include "core/base/text/nearest_name.hpp"

namespace sparsecast {

#define SPARSECAST_FORMAT(name) extern const Format name##_format;
#include "core/formats/formats.def"

double PatternNumbers::blocks_of(int block_size) const {
  if (block_layout(block_size).block_size == 1) return nonzeros;
  const auto place = std::ranges::find(block_sizes, block_size) - block_sizes.begin();
  return blocks[static_cast<std::size_t>(place)];
}

std::span<const Format* const> formats() {
  static constexpr std::array all{
#define SPARSECAST_FORMAT(name) &name##_format,
#include "core/formats/formats.def"
  };
  return all;
}

const std::vector<Layout>& all_layouts() {
  static const std::vector<Layout> all = [] {
    std::vector<Layout> found;
    for (const Format* format : formats()) {
      const std::vector<Layout> layouts = format->layouts();
      found.insert(found.end(), layouts.begin(), layouts.end());
    }
    return found;
  }();
  return all;
}

std::vector<Layout> usual_layouts_of(const Format& format) {
  if (format.may_pay == nullptr) return {};
  if (format.usual_layouts != nullptr) return format.usual_layouts();
  std::vector<Layout> layouts = format.layouts();
  std::erase_if(layouts,
                [](const Layout& layout) { return layout.row_order != RowOrder::natural; });
  return layouts;
}

const std::vector<Layout>& usual_layouts() {
  static const std::vector<Layout> usual = [] {
    std::vector<Layout> found;
    for (const Format* format : formats()) {
      const std::vector<Layout> layouts = usual_layouts_of(*format);
      found.insert(found.end(), layouts.begin(), layouts.end());
    }
    return found;
  }();
  return usual;
}

const std::vector<Layout>& compared_layouts() {
  static const std::vector<Layout> compared = [] {
    std::vector<Layout> found;
    for (const Format* format : formats()) {
      if (format->execution == nullptr || format->may_pay != nullptr) continue;
      const std::vector<Layout> layouts = format->layouts();
      found.insert(found.end(), layouts.begin(), layouts.end());
    }
    return found;
  }();
  return compared;
}

bool may_pay(const PatternNumbers& numbers, const Layout& layout) {
  const Format& format = format_of(layout);
  return format.may_pay != nullptr && format.may_pay(numbers, layout);
}

bool has_cpu_products(const Layout& layout) {
  static constexpr std::array on_cpus{
#define SPARSECAST_FORMAT(name) true,
#define SPARSECAST_CUDA_FORMAT(name) false,
#include "core/formats/formats.def"
  };
  return on_cpus[static_cast<std::size_t>(std::ranges::find(formats(), &format_of(layout)) -
                                          formats().begin())];
}

const Format& format_of(const Layout& layout) {
  const auto found = std::ranges::find(formats(), layout.format, &Format::name);
  if (found == formats().end() || std::ranges::count(all_layouts(), layout) == 0) {
    parse_layout(to_string(layout));
    throw Error("no layout '" + to_string(layout) + "'");
  }
  return **found;
}

std::size_t layout_index(const Layout& layout) {
  format_of(layout);  // says what there is
  return static_cast<std::size_t>(std::ranges::find(all_layouts(), layout) - all_layouts().begin());
}

Layout parse_layout(std::string_view name) {
  const auto name_of = [](const Layout& layout) { return to_string(layout); };
  const auto found = std::ranges::find(all_layouts(), name, name_of);
  if (found != all_layouts().end()) return *found;
  std::vector<std::string> known;
  std::string list;
  std::size_t variants = 0;
  for (const Layout& layout : all_layouts()) {
    known.push_back(name_of(layout));
    if (layout.variant.empty()) {
      list += (list.empty() ? "" : ", ") + known.back();
    } else {
      ++variants;
    }
  }
  if (variants > 0) list += "; " + std::to_string(variants) + " variants of these";
  const std::string nearest = nearest_name(name, known);
  throw Error("no layout '" + std::string(name) + "'" +
              (nearest.empty() ? "; there are " : "; did you mean '" + nearest + "'? There are ") +
              list);
}

}  // namespace sparsecast
