#include "cli/reports/solver_text.hpp"

namespace sparsecast::cli {

std::string solver_text(const ValidationRow& row) {
  return row.launch.empty() ? row.schedule : row.schedule + ' ' + row.launch;
}

}  // namespace sparsecast::cli
