#include "cli/counting/right_hand_side.hpp"

#include <utility>

#include "cli/matrix_source.hpp"
#include "core/matrix/files/file_kind.hpp"
#include "predict/counting/right_hand_side.hpp"

namespace sparsecast::cli {

void add_right_hand_side_option(CommandLine& line) {
  line.add()("rhs", boost::program_options::value<std::string>()->default_value("ones"),
             "b: ones, random, or a matrix file of one column");
}

std::string right_hand_side_file(const CommandLine& line) {
  const auto& what = line.get<std::string>("rhs");
  return what == "ones" || what == "random" ? std::string() : what;
}

std::vector<double> right_hand_side(const CommandLine& line, std::int64_t rows) {
  return right_hand_side(line, rows, {0, rows});
}

std::vector<double> right_hand_side(const CommandLine& line, std::int64_t rows,
                                    const Segment& part) {
  const auto& what = line.get<std::string>("rhs");
  if (auto b = named_right_hand_side(what, part.rows(), part.begin_row)) return *std::move(b);
  std::vector<double> b = right_hand_side_of(read_matrix(what).matrix, rows, file_label(what));
  if (part.rows() == rows) return b;
  return {b.begin() + part.begin_row, b.begin() + part.end_row};
}

}  // namespace sparsecast::cli
