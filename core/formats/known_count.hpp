#pragma once

#include <string>

#include "core/formats/format.hpp"

namespace sparsecast {

/// What a format has counted itself (`Format::count`) under this name. Throws `Error` that says so
/// where there are sizes alone.
double known_count(const PatternNumbers& numbers, const Layout& layout, const std::string& name);

}  // namespace sparsecast
