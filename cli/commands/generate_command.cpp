#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <string>

#include "cli/command.hpp"
#include "cli/command_files.hpp"
#include "cli/generated_kinds.hpp"
#include "cli/interrupt.hpp"
#include "cli/joined.hpp"
#include "cli/reports/printable.hpp"
#include "cli/reports/progress.hpp"
#include "cli/reports/table.hpp"
#include "cli/reports/verbosity.hpp"
#include "core/base/files/file_output.hpp"
#include "core/matrix/files/file_kind.hpp"

namespace sparsecast::cli {
namespace {

namespace fs = std::filesystem;

CommandLine make_command_line() {
  CommandLine line(
      "generate", "KIND [options] --out FILE",
      "Writes a matrix as a Matrix Market file (gzip if FILE ends in .gz). The same options give\n"
      "the same matrix on every machine. KIND:\n" +
          generated_kinds_help() +
          "All but convection-diffusion, random --general, some of table4 and renumber are "
          "symmetric\n"
          "positive definite.",
      "sparsecast generate fem-elasticity --cells 20 --out elastic.mtx.gz");
  line.add()("out", boost::program_options::value<std::string>(),
             "the file to write; - for standard output");
  add_generated_kinds(line);
  return line;
}

/// Throws `UsageError` for a name that says that something else is in the file than Matrix Market.
void refuse_other_kinds_of_files(const std::string& out) {
  if (out.ends_with(".mtx") || out.ends_with(".mtx.gz")) return;
  const bool other = has_matrix_ending(out) ||
                     std::ranges::any_of(std::array{".zst", ".bz2", ".xz", ".zip"},
                                         [&](const char* end) { return out.ends_with(end); });
  if (!other) return;
  throw UsageError(
      "--out " + out +
      ": Matrix Market alone is written; expected a name that ends in .mtx or .mtx.gz");
}

int run(const CommandLine& line) {
  check_generated(line);
  const auto& out = line.get<std::string>("out");
  refuse_other_kinds_of_files(out);
  CommandFiles files;
  files.reads(line, "in");
  files.writes(line, "out");
  files.check();

  Generated generated = generate(line);
  generated.storage.comment = "sparsecast " + joined(line.words(), " ");
  {
    const InterruptGuard guard;
    Progress progress("write");
    generated.storage.keep_going = [&](double done) {
      progress.update(done, out);
      return !InterruptGuard::interrupted();
    };
    if (!write_matrix_market(out, generated.matrix, generated.storage)) {
      throw Interrupted(out + ": interrupted, not written");
    }
  }
  if (verbosity() == Verbosity::quiet) return 0;
  std::error_code unknown;
  const bool regular = fs::is_regular_file(out, unknown);
  (is_standard_output(out) ? std::cerr : std::cout)
      << "wrote " << printable_line(out) << ": " << format_counted(generated.matrix.rows, "row")
      << ", " << format_counted(generated.matrix.nonzeros(), "nonzero")
      << (generated.storage.symmetric ? ", lower triangle stored" : "")
      << (regular ? ", " + format_bytes(static_cast<double>(fs::file_size(out))) : "") << '\n';
  return 0;
}

}  // namespace

extern const Command generate_command;
const Command generate_command{"generate", "write a matrix for tests and calibration",
                               make_command_line, run};

}  // namespace sparsecast::cli
