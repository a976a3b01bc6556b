#include "cli/counting/right_hand_side.hpp"

#include <optional>

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
  const auto& what = line.get<std::string>("rhs");
  if (std::optional<std::vector<double>> b = named_right_hand_side(what, rows)) return *b;
  return right_hand_side_of(read_matrix(what).matrix, rows, file_label(what));
}

}  // namespace sparsecast::cli
