#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/matrix_files.hpp"
#include "cli/reports/table.hpp"
#include "core/base/precision.hpp"
#include "core/engine/device_list.hpp"
#include "core/engine/own_solver.hpp"
#include "core/workload/launch_mode.hpp"
#include "core/workload/layout.hpp"

namespace sparsecast::cli {

/// What `sparsecast bench` was asked for.
struct BenchOptions {
  std::vector<MatrixFile> files;
  std::string device;
  std::string schedule;          ///< of one of ours
  std::optional<OwnSolver> own;  ///< in its place
  LaunchMode launch_mode = LaunchMode::automatic;
  Precision precision = Precision::f64;
  std::vector<Layout> layouts;  ///< empty: all that fit
  int threads = 0;
  TableStyle style = TableStyle::plain;
  bool json = false;
  std::vector<std::string> from;  ///< samples of mappings that were measured before
  std::string csv;                ///< files to write, empty: none
  std::string figure2;
  std::string figure9;
};

/// Whether --device names GPUs.
bool is_gpu(const std::string& device);

/// The GPU of "cuda:0", or the part of "cuda:0/32". Throws `UsageError` for what is neither.
GpuPart benched_gpu(const std::string& device);

/// Throws `Interrupted` where measuring was interrupted; what is kept has been printed.
void require_complete(std::size_t measured);

}  // namespace sparsecast::cli
