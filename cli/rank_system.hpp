#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/engine/backend.hpp"
#include "core/engine/device_list.hpp"
#include "core/engine/ranks/rank_matrix.hpp"
#include "core/engine/ranks/rank_part.hpp"
#include "core/workload/cuda_policy.hpp"

/// @file
/// What a rank has of a system, and what it runs it on: of commands that ranks carry out together.

namespace sparsecast::cli {

/// Throws `UsageError` unless --device names what ranks may have: the CPU, or a GPU each.
void require_device_of_ranks(const std::string& device);

/// The GPU of this rank in --device (`gpu_of_rank`); nothing where that is the CPU. All ranks call
/// it.
std::optional<GpuPart> device_of_rank(const std::string& device);

/// Reads this rank's part of a matrix file, and warns where entries stand in that more than once.
/// Throws like `read_rank_matrix`. All ranks call it.
RankMatrixFile read_part(const std::string& path, const RankMatrixOptions& options,
                         bool asks_symmetry);

/// What runs a part on this rank: its GPU, or so many threads of its CPU. Throws like the back
/// ends. All ranks call it.
std::unique_ptr<Backend> open_rank_backend(const RankPart& part, const std::optional<GpuPart>& gpu,
                                           int threads, const CudaPolicy& cuda);

}  // namespace sparsecast::cli
