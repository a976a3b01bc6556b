#include "cli/rank_system.hpp"

#include "cli/command.hpp"
#include "cli/gpu_of_rank.hpp"
#include "cli/ranks.hpp"
#include "cli/reports/verbosity.hpp"
#include "core/cpu/cpu_backend.hpp"
#include "core/cuda/cuda_backend.hpp"
#include "core/matrix/files/file_kind.hpp"

namespace sparsecast::cli {

void require_device_of_ranks(const std::string& device) {
  if (device == "cpu" || device.starts_with(gpu_kind)) return;
  throw UsageError("--device " + device +
                   ": ranks of mpirun have the CPU (cpu), or a GPU each (cuda:0,cuda:1)");
}

std::optional<GpuPart> device_of_rank(const std::string& device) {
  if (!device.starts_with(gpu_kind)) return std::nullopt;
  return gpu_of_rank(*ranks(), device);
}

RankMatrixFile read_part(const std::string& path, const RankMatrixOptions& options,
                         bool asks_symmetry) {
  const Phase phase("reading a part of " + file_label(path));
  RankMatrixFile file = read_rank_matrix(path, *ranks(), options, asks_symmetry);
  if (file.matrix.duplicates) {
    warn(file_label(path) + ": some entries stand where an earlier one does; their sums are used");
  }
  return file;
}

std::unique_ptr<Backend> open_rank_backend(const RankPart& part, const std::optional<GpuPart>& gpu,
                                           int threads, const CudaPolicy& cuda) {
  if (gpu) return std::make_unique<CudaBackend>(part, *gpu, cuda);
  return std::make_unique<CpuBackend>(part, threads);
}

}  // namespace sparsecast::cli
