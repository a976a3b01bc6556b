#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/run_program.hpp"
#include "cli/temporary_folder.hpp"
#include "core/base/files/file_output.hpp"

namespace sparsecast::testing {

/// What a command writes to gnuplot. In gnuplot's place stands a program that keeps it and draws
/// nothing.
class DrawnScript {
 public:
  explicit DrawnScript(const std::vector<std::string>& arguments) {
    const std::filesystem::path program = folder_ / "gnuplot";
    std::ofstream(program) << "#!/bin/sh\ncat > " << folder_ / "script"
                           << "\necho drawn\n";
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    run_ = run_program(arguments, {"PATH=" + folder_.path().string() + ":" + std::getenv("PATH")});
    if (run_.exit_status == 0) text_ = read_file(folder_ / "script");
  }

  const ProgramRun& run() const { return run_; }
  const std::string& text() const { return text_; }
  bool has(const std::string& part) const { return text_.find(part) != std::string::npos; }

  /// Everything behind `begin` in its line, once for each line that has it.
  std::vector<std::string> behind(const std::string& begin) const {
    std::vector<std::string> found;
    for (std::size_t at = 0; (at = text_.find(begin, at)) != std::string::npos;) {
      at += begin.size();
      found.push_back(text_.substr(at, text_.find('\n', at) - at));
    }
    return found;
  }

 private:
  TemporaryFolder folder_;
  ProgramRun run_;
  std::string text_;
};

/// A name with all that gnuplot would take for something else, and as it must be written for it.
inline const std::string hard_name = "'it's_a \"b\" \\n{c}^2 `ls` @d & ~e 100%g";
inline const std::string hard_name_escaped =
    "\"'it's\\\\_a \\\"b\\\" \\\\\\\\n\\\\{c\\\\}\\\\^2 \\140ls\\140 \\\\@d \\\\& \\\\~e 100%g\"";

}  // namespace sparsecast::testing
