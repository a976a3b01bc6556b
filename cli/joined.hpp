#pragma once

#include <string>
#include <vector>

namespace sparsecast::cli {

/// Words in one text, with the separator between them.
std::string joined(const std::vector<std::string>& words, const std::string& separator);

}  // namespace sparsecast::cli
