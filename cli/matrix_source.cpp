#include "cli/matrix_source.hpp"

#include <filesystem>

#include "core/matrix_market.hpp"

namespace sparsecast::cli {

std::vector<MatrixSource> file_sources(std::span<const std::string> files, int threads) {
  std::vector<MatrixSource> sources;
  for (const std::string& file : files) {
    sources.push_back({std::filesystem::path(file).filename().string(), [file, threads] {
                         MatrixMarketOptions reading;
                         reading.threads = threads;
                         return read_matrix_market(file, reading).matrix;
                       }});
  }
  return sources;
}

}  // namespace sparsecast::cli
