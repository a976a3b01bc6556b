#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/format.hpp"

namespace sparsecast {

/// All formats, in the order of tables.
std::span<const Format* const> formats();

/// The format of a layout. Throws `Error` that lists the known names for a layout that there are
/// no kernels for.
const Format& format_of(const Layout& layout);

/// All layouts of all formats.
const std::vector<Layout>& all_layouts();

/// Those that are looked at where nobody asks for one by name: of formats that may pay
/// (`Format::may_pay`, `Format::usual_layouts`). The others are for comparisons.
const std::vector<Layout>& usual_layouts();
/// Those of one format; none of one that is for comparisons.
std::vector<Layout> usual_layouts_of(const Format& format);

/// Those of formats that are forecast (`Format::execution`), but for comparisons.
const std::vector<Layout>& compared_layouts();

/// `Format::may_pay` of the layout's format; false where it has none. Throws like `format_of`.
bool may_pay(const PatternNumbers& numbers, const Layout& layout);

/// Whether the CPU has products of the layout; GPUs have those of all. Throws like `format_of`.
bool has_cpu_products(const Layout& layout);

/// A layout's place among `all_layouts()`: the order of tables. Throws like `format_of`.
std::size_t layout_index(const Layout& layout);

/// The inverse of `to_string`. Throws `Error` that suggests the nearest known name, or lists them.
Layout parse_layout(std::string_view name);

}  // namespace sparsecast
