#include "cli/commands.hpp"

#include <vector>

namespace sparsecast::cli {

std::span<const Command> commands() {
  static const std::vector<Command> all{};
  return all;
}

}  // namespace sparsecast::cli
