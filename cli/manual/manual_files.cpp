#include "cli/manual/manual_files.hpp"

#include <string>

#include "cli/commands.hpp"
#include "cli/manual/completion.hpp"
#include "cli/manual/manual_page.hpp"
#include "core/base/files/file_output.hpp"

namespace sparsecast::cli {

void write_manual(const std::filesystem::path& folder) {
  const auto write = [&](const char* within, const std::string& name, const std::string& text) {
    std::filesystem::create_directories(folder / within);
    write_file(folder / within / name, text);
  };
  write("man/man1", "sparsecast.1", program_manual_page());
  for (const Command& command : commands()) {
    write("man/man1", std::string("sparsecast-") + command.name + ".1", manual_page(command));
  }
  write("bash-completion/completions", "sparsecast", bash_completion());
  write("zsh/site-functions", "_sparsecast", zsh_completion());
}

}  // namespace sparsecast::cli
