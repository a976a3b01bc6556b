#include "cli/exports/timed_case.hpp"

namespace sparsecast::cli {

std::string TimedCase::setting() const {
  return (solver.empty() ? "" : solver + '-') + to_string(layout) +
         (launch.empty() ? "" : '-' + launch) +
         (devices == 1 ? "" : "-x" + std::to_string(devices)) + '-' +
         std::string(to_string(precision));
}

}  // namespace sparsecast::cli
