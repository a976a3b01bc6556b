#include "cli/given_matrix.hpp"

#include <sstream>
#include <utility>
#include <vector>

#include "cli/generated_kinds.hpp"
#include "cli/matrix_source.hpp"
#include "cli/rank_system.hpp"
#include "cli/reports/verbosity.hpp"
#include "core/engine/ranks/generated_rank_matrix.hpp"
#include "core/matrix/files/file_kind.hpp"

namespace sparsecast::cli {
namespace {

/// What `make` makes; wrong use names the option.
template <class Make>
auto of_generate(const Make& make) {
  try {
    return make();
  } catch (const UsageError& error) {
    throw UsageError("--generate: " + std::string(error.what()));
  }
}

CommandLine generation_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  CommandLine line("generate", "KIND [options]", "", "");
  add_generated_kinds(line);
  const Verbosity spoken = verbosity();
  const bool parsed = line.parse(words);
  set_verbosity(spoken);
  if (!parsed) throw UsageError("expected KIND and its options, got '" + text + "'");
  check_generated(line);
  if (line.has("in")) {
    throw UsageError("renumber is of a file; give that as MATRIX, and --renumber");
  }
  return line;
}

}  // namespace

void add_generate_option(CommandLine& line) {
  line.add()("generate", boost::program_options::value<std::string>(),
             "in place of MATRIX the one that sparsecast generate writes, without a file: its KIND "
             "and options in quotes, \"laplacian --size 100\"");
}

GivenMatrix::GivenMatrix(const CommandLine& line) {
  if (!line.has("generate")) {
    file_ = line.get<std::string>("matrix");
    label_ = file_label(file_);
    return;
  }
  if (line.has("matrix")) {
    throw UsageError("MATRIX and --generate are given; expected one of them");
  }
  label_ = line.get<std::string>("generate");
  generation_.emplace(of_generate([&] { return generation_of(label_); }));
}

MatrixFromFile GivenMatrix::whole(int threads) const {
  if (!generation_) return read_matrix(file_, {.threads = threads});
  const Phase phase("generating " + label_);
  Generated generated = of_generate([&] { return generate(*generation_); });
  MatrixFromFile result;
  result.matrix = std::move(generated.matrix);
  if (generated.storage.symmetric) result.symmetry = StoredSymmetry::symmetric;
  return result;
}

RankMatrixFile GivenMatrix::part(Communicator& ranks, const RankMatrixOptions& options,
                                 bool asks_symmetry) const {
  if (!generation_) return read_part(file_, options, asks_symmetry);
  const Phase phase("generating a part of " + label_);
  const GridStencil rows = of_generate([&] { return generated_rows(*generation_); });
  return {generate_rank_matrix(ranks, rows, options), rows.symmetric()};
}

}  // namespace sparsecast::cli
