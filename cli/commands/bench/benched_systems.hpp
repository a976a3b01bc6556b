#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "cli/commands/bench/bench_options.hpp"
#include "cli/matrix_source.hpp"
#include "core/engine/backend.hpp"
#include "core/engine/device_list.hpp"
#include "core/engine/ranks/rank_part.hpp"
#include "core/matrix/csr.hpp"
#include "core/workload/layout.hpp"

namespace sparsecast::cli {

/// A matrix to measure, or this rank's part of it.
template <class T>
struct BenchedSystem {
  CsrMatrix<T> matrix;
  std::unique_ptr<RankPart> part;  ///< nullptr: there is one process
  std::int64_t rows = 0;           ///< of the whole matrix, as the nonzeros
  std::int64_t nonzeros = 0;
};

/// The matrices that are measured, one after the other, and what runs them: the device of --device,
/// or that of each rank. Ranks cut a matrix for each layout: rows of a block stay together.
template <class T>
class BenchedSystems {
 public:
  /// Throws like `open_device` and `device_of_rank`. All ranks call it, as what follows.
  explicit BenchedSystems(const BenchOptions& options);

  /// Goes on to this one. Throws `Error` for a matrix that is not square.
  void take(const MatrixSource& source);
  /// That one, to be measured in a layout. Throws like `read_rank_matrix`, and as back ends do.
  const BenchedSystem<T>& in(const Layout& layout);

  /// Of the last system.
  Backend& backend() { return *backend_; }
  /// Devices that run a system, those of all ranks.
  int devices() const;
  /// Bytes of all devices; 0 if unknown, as where ranks may share that of a CPU.
  double last_level_cache() const;

 private:
  const BenchOptions& options_;
  std::optional<GpuPart> gpu_;  ///< of this rank
  MatrixSource source_;
  int block_size_ = 0;  ///< for which ranks have cut it; 0: not yet
  BenchedSystem<T> system_;
  std::unique_ptr<Backend> backend_;
};

}  // namespace sparsecast::cli
