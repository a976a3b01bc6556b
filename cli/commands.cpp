#include "cli/commands.hpp"

#include <vector>

namespace sparsecast::cli {

extern const Command devices_command;
extern const Command inspect_command;
extern const Command generate_command;
extern const Command calibrate_command;
extern const Command predict_command;
extern const Command map_command;
extern const Command advise_command;
extern const Command report_command;
extern const Command solve_command;
extern const Command bench_command;
extern const Command validate_command;

std::span<const Command> commands() {
  static const std::vector<Command> all{
      devices_command, inspect_command, generate_command, calibrate_command,
      predict_command, map_command,     advise_command,   report_command,
      solve_command,   bench_command,   validate_command,
  };
  return all;
}

}  // namespace sparsecast::cli
