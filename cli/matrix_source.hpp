#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/csr.hpp"

namespace sparsecast::cli {

/// A matrix that is made when its turn comes, so that only one is in memory.
struct MatrixSource {
  std::string name;
  std::function<CsrMatrix<double>()> make;
};

/// Matrix Market files under their names without folders, read on `threads` threads (0: all).
std::vector<MatrixSource> file_sources(std::span<const std::string> files, int threads);

}  // namespace sparsecast::cli
