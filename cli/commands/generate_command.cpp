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

int run(const CommandLine& line) {
  check_generated(line);
  const auto& out = line.get<std::string>("out");
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
      << "wrote " << printable_line(out) << ": " << format_count(generated.matrix.rows) << " rows, "
      << format_count(generated.matrix.nonzeros()) << " nonzeros"
      << (generated.storage.symmetric ? ", lower triangle stored" : "")
      << (regular ? ", " + format_bytes(static_cast<double>(fs::file_size(out))) : "") << '\n';
  return 0;
}

}  // namespace

extern const Command generate_command;
const Command generate_command{"generate", "write a matrix for tests and calibration",
                               make_command_line, run};

}  // namespace sparsecast::cli
