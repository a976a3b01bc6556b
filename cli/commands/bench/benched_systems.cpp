#include "cli/commands/bench/benched_systems.hpp"

#include <utility>

#include "cli/command.hpp"
#include "cli/rank_system.hpp"
#include "cli/ranks.hpp"
#include "core/base/error.hpp"
#include "core/cpu/machine.hpp"
#include "core/cuda/device/gpu_devices.hpp"
#include "core/engine/ranks/rank_matrix.hpp"
#include "core/engine/solve_method.hpp"
#include "core/schedule/built_in_solvers.hpp"

namespace sparsecast::cli {
namespace {

CudaPolicy policy_of(const BenchOptions& options) {
  CudaPolicy policy;
  policy.launch_mode = options.launch_mode;
  return policy;
}

/// This rank's part; what is generated rank 0 makes, and sends the others their rows.
RankMatrix part_of(const MatrixSource& source, const RankMatrixOptions& options) {
  if (!source.file.empty()) return read_part(source.file, options, false).matrix;
  CsrMatrix<double> whole;
  if (ranks()->rank() == 0) whole = source.make();
  return distribute_whole(*ranks(), whole.view(), options);
}

}  // namespace

template <class T>
BenchedSystems<T>::BenchedSystems(const BenchOptions& options) : options_(options) {
  if (ranks() != nullptr) {
    gpu_ = device_of_rank(options.device);
  } else {
    backend_ = open_device(options.device, options.threads, policy_of(options));
  }
}

template <class T>
void BenchedSystems<T>::take(const MatrixSource& source) {
  source_ = source;
  block_size_ = 0;
  if (ranks() != nullptr) return;
  system_.matrix = convert_values<T>(source.make().view());
  system_.rows = system_.matrix.rows;
  system_.nonzeros = system_.matrix.nonzeros();
  if (system_.rows == system_.matrix.columns) return;
  throw Error(source.name + ": " + std::to_string(system_.rows) + " rows and " +
              std::to_string(system_.matrix.columns) + " columns; expected a square matrix");
}

template <class T>
const BenchedSystem<T>& BenchedSystems<T>::in(const Layout& layout) {
  if (ranks() == nullptr || block_size_ == layout.block_size) return system_;
  const Solver& solver = options_.own ? options_.own->priced() : built_in(options_.schedule);
  RankMatrixOptions options =
      part_options(layout, multiplies_by_transpose(solver.schedule),
                   options_.own ? rows_together(options_.own->method()) : 1, gpu_.has_value());
  options.threads = options_.threads;
  backend_.reset();  // it is of the part before
  RankMatrix cut = part_of(source_, options);
  system_.matrix = convert_values<T>(cut.matrix.view());
  system_.part = std::make_unique<RankPart>(std::move(cut.part));
  system_.rows = system_.part->unknowns();
  system_.nonzeros = cut.nonzeros;
  block_size_ = layout.block_size;
  backend_ = open_rank_backend(*system_.part, gpu_, options_.threads, policy_of(options_));
  return system_;
}

template <class T>
int BenchedSystems<T>::devices() const {
  return ranks() != nullptr ? ranks()->size() : backend_->device_count();
}

template <class T>
double BenchedSystems<T>::last_level_cache() const {
  if (gpu_) return ranks()->sum(static_cast<double>(list_gpus().part(*gpu_).l2_bytes));
  if (ranks() != nullptr) return 0;
  if (!is_gpu(options_.device)) return static_cast<double>(describe_cpu().l3_bytes);
  return static_cast<double>(list_gpus().part(benched_gpu(options_.device)).l2_bytes);
}

template class BenchedSystems<float>;
template class BenchedSystems<double>;

}  // namespace sparsecast::cli
