#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"

namespace sparsecast::cli {

/// The files that a command reads and writes. Named before its work begins, so that what cannot be
/// written, or would destroy what is read, costs no time and no data. Where an output is standard
/// output (`is_standard_output`), what a command prints for people goes to standard error.
class CommandFiles {
 public:
  /// A file that is read; `name` is what the command line calls it: "--in", "MATRIX".
  void reads(const std::string& name, const std::string& path);
  /// A file that is written.
  void writes(const std::string& name, const std::string& path);

  /// The files of an option (a text, or a list of them), if it is given; of --profile also the file
  /// of a shipped profile; throws `UsageError` for a name that no profile has.
  void reads(const CommandLine& line, const std::string& option);
  void writes(const CommandLine& line, const std::string& option);

  /// The drawing of an option, if it is given.
  void draws(const CommandLine& line, const std::string& option);

  /// Throws `UsageError` where two outputs, or an output and an input, are one file (links
  /// followed; devices may be both), and where two outputs, or an output and what the command
  /// prints for --json, go to standard output, and for empty
  /// names; `Error` where an output cannot be written, or drawn.
  /// `prints_json`: --json is given.
  void check(bool prints_json = false) const;

 private:
  struct File {
    std::string name;
    std::string path;
    bool drawing = false;
  };
  std::vector<File> inputs_;
  std::vector<File> outputs_;
};

}  // namespace sparsecast::cli
