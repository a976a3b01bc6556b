#pragma once

#include <compare>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// Devices by name, as `open_backend` takes them: "cpu" (all threads), "cpu:0,cpu:1" (groups of
/// them), "cuda:0" (a GPU), "cuda:0,cuda:1" (several), "cuda:0/32" (a part of one).

namespace sparsecast {

/// What stands before the number of a GPU, and of a group of threads.
inline constexpr std::string_view gpu_kind = "cuda:";
inline constexpr std::string_view group_kind = "cpu:";

/// Groups that the threads of a CPU are cut into, at most.
inline constexpr int most_cpu_groups = 64;

/// A GPU, or the part of one that has fewer multiprocessors and all else with the whole.
struct GpuPart {
  /// From a number alone it is the whole GPU.
  GpuPart(int index = 0, int count = 0) : gpu(index), multiprocessors(count) {}

  int gpu = 0;
  int multiprocessors = 0;  ///< 0: all

  friend auto operator<=>(const GpuPart&, const GpuPart&) = default;
};

/// "cuda:0", of a part "cuda:0/32".
std::string to_string(const GpuPart& gpu);

/// The GPUs in "cuda:0,cuda:1", in this order, or the part in "cuda:0/32", which is alone. Throws
/// `Error` that names the first one that is neither, or there twice.
std::vector<GpuPart> parse_gpu_list(std::string_view list);

/// The inverse of `parse_gpu_list`.
std::string gpu_list(std::span<const GpuPart> gpus);

/// The number in "cuda:3", of the kind "cuda:"; nothing for any other text.
std::optional<int> device_index(std::string_view name, std::string_view kind);

/// The numbers in "cuda:0,cuda:1", of the kind "cuda:", in this order. Throws `Error` that names
/// the first one that is not of the kind, not below `end`, or there twice.
std::vector<int> parse_device_list(std::string_view list, std::string_view kind,
                                   int end = std::numeric_limits<int>::max());

/// The inverse of `parse_device_list`.
std::string device_list(std::string_view kind, std::span<const int> indices);

/// A list of so many devices. One: `first` as it is. Several: from the GPU `first` on
/// ("cuda:1,cuda:2"), or groups of threads ("cpu:0,cpu:1"). Throws `Error` for a GPU that is none,
/// and for a part of one.
std::string consecutive_devices(const std::string& first, int count);

}  // namespace sparsecast
