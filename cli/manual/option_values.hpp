#pragma once

#include <string>
#include <vector>

namespace sparsecast::cli {

/// What can stand as the value of an option.
struct OptionValues {
  std::vector<std::string> words;  ///< names to choose from; empty: a number or a text
  bool list = false;               ///< several of them, with commas between
  bool files = false;              ///< names of files

  bool known() const { return files || !words.empty(); }
};

/// Those of an option, by its long name without dashes, or of a positional argument.
OptionValues values_of(const std::string& command, const std::string& option);

}  // namespace sparsecast::cli
