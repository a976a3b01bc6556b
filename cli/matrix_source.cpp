#include "cli/matrix_source.hpp"

#include "cli/command.hpp"
#include "cli/reports/table.hpp"
#include "cli/reports/verbosity.hpp"
#include "core/base/error.hpp"
#include "core/matrix/files/file_kind.hpp"
#include "core/matrix/files/read_matrix_file.hpp"
#include "predict/features/features_file.hpp"

namespace sparsecast::cli {

std::vector<MatrixSource> file_sources(std::span<const MatrixFile> files, int threads) {
  std::vector<MatrixSource> sources;
  for (const MatrixFile& file : files) {
    sources.push_back({file.name,
                       [path = file.path.string(), threads] {
                         MatrixFileOptions reading;
                         reading.threads = threads;
                         return read_matrix(path, reading).matrix;
                       },
                       file.path.string()});
  }
  return sources;
}

std::string order_text(std::span<const Renumbering> orders) {
  if (orders.size() == 1 && orders.front() == Renumbering::none) return "";
  std::string text = orders.size() == 1 ? "; renumbered: " : "; orders: ";
  for (const Renumbering& how : orders) {
    text += (&how == orders.data() ? "" : ", ") + std::string(to_string(how)) +
            (how == Renumbering::metis ? " for each number of devices, on one as given" : "");
  }
  return text;
}

void require_matrix_to_renumber(Renumbering how) {
  if (how == Renumbering::none) return;
  throw UsageError("--renumber " + std::string(to_string(how)) +
                   " orders a matrix; --unknowns and --elements are none");
}

MatrixFromFile read_matrix(const std::string& path, const MatrixFileOptions& options) {
  if (is_features_file(path)) {
    throw Error(path +
                ": is a features file, or other JSON, and has no entries; give the matrix itself "
                "(features are for predict, map and advise)");
  }
  const Phase phase("reading " + file_label(path));
  MatrixFromFile file = read_matrix_file(path, options);
  if (file.duplicates > 0) {
    warn_once(file_label(path) + ": " + format_count(file.duplicates) +
              (file.duplicates == 1 ? " entry stands" : " entries stand") +
              " where an earlier one does; their sums are used");
  }
  return file;
}

MatrixFromFile read_square_matrix(const std::string& path) {
  MatrixFromFile file = read_matrix(path);
  if (file.matrix.rows != file.matrix.columns) {
    throw Error(file_label(path) + ": " + std::to_string(file.matrix.rows) + " rows and " +
                std::to_string(file.matrix.columns) + " columns; expected a square one");
  }
  if (file.matrix.rows == 0) {
    throw Error(file_label(path) + ": the matrix has no rows; expected at least one");
  }
  return file;
}

}  // namespace sparsecast::cli
