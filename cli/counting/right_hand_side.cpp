#include "cli/counting/right_hand_side.hpp"

#include <random>

#include "cli/matrix_source.hpp"
#include "core/base/error.hpp"
#include "core/matrix/files/file_kind.hpp"

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
  std::vector<double> b(static_cast<std::size_t>(rows), 1);
  if (what == "ones") return b;
  if (what == "random") {
    std::mt19937 random(1);
    for (double& value : b) value = 0.5 + static_cast<double>(random()) / 4294967296.0;
    return b;
  }
  const CsrMatrix<double> file = read_matrix(what).matrix;
  if (file.rows != rows || file.columns != 1) {
    throw Error(file_label(what) + ": " + std::to_string(file.rows) + " rows and " +
                std::to_string(file.columns) + " columns; expected one column of " +
                std::to_string(rows) + " rows");
  }
  for (std::size_t row = 0; row < b.size(); ++row) {
    b[row] = file.row_offsets[row] < file.row_offsets[row + 1]
                 ? file.values[static_cast<std::size_t>(file.row_offsets[row])]
                 : 0;
  }
  return b;
}

}  // namespace sparsecast::cli
