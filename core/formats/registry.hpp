#pragma once

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

/// The inverse of `to_string`. Throws `Error` that suggests the nearest known name, or lists them.
Layout parse_layout(std::string_view name);

}  // namespace sparsecast
