#include "cli/build_details.hpp"

#include "build_details_values.hpp"
#include "commit.hpp"

namespace sparsecast::cli {

std::string version_line() {
  const std::string commit = SPARSECAST_COMMIT;
  return "sparsecast " SPARSECAST_VERSION + (commit.empty() ? "" : " (" + commit + ")");
}

std::string build_details() {
  return "compiler   " SPARSECAST_BUILD_COMPILER "\nCUDA       " SPARSECAST_BUILD_CUDA
         "\nlibraries  " SPARSECAST_BUILD_LIBRARIES "\nfeatures   " SPARSECAST_BUILD_FEATURES "\n";
}

std::string documents_text() {
  return "Pages that are named as docs/NAME.md are installed in " SPARSECAST_DOCUMENTS ".";
}

}  // namespace sparsecast::cli
