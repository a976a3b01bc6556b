#include "core/engine/device_list.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>

#include "core/base/error.hpp"

namespace sparsecast {
namespace {

/// What stands between a GPU and the multiprocessors of a part of it.
constexpr char part_mark = '/';

std::optional<int> whole_number(std::string_view text) {
  int number = -1;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc{} || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

/// "cuda:0/32"; nothing for any other text.
std::optional<GpuPart> part_of_gpu(std::string_view name) {
  const std::size_t mark = name.find(part_mark);
  if (mark == std::string_view::npos) return std::nullopt;
  const std::optional<int> index = device_index(name.substr(0, mark), gpu_kind);
  const std::optional<int> multiprocessors = whole_number(name.substr(mark + 1));
  if (!index || multiprocessors.value_or(0) == 0) return std::nullopt;
  return GpuPart(*index, *multiprocessors);
}

}  // namespace

std::string to_string(const GpuPart& gpu) {
  const std::string whole = std::string(gpu_kind) + std::to_string(gpu.gpu);
  return gpu.multiprocessors == 0 ? whole : whole + part_mark + std::to_string(gpu.multiprocessors);
}

std::vector<GpuPart> parse_gpu_list(std::string_view list) {
  if (const std::optional<GpuPart> part = part_of_gpu(list)) return {*part};
  const std::vector<int> indices = parse_device_list(list, gpu_kind);
  return std::vector<GpuPart>(indices.begin(), indices.end());
}

std::string gpu_list(std::span<const GpuPart> gpus) {
  std::string list;
  for (const GpuPart& gpu : gpus) list += (list.empty() ? "" : ",") + to_string(gpu);
  return list;
}

std::optional<int> device_index(std::string_view name, std::string_view kind) {
  if (!name.starts_with(kind)) return std::nullopt;
  return whole_number(name.substr(kind.size()));
}

std::vector<int> parse_device_list(std::string_view list, std::string_view kind, int end) {
  std::vector<int> indices;
  while (true) {
    const std::size_t comma = list.find(',');
    const std::string name(list.substr(0, comma));
    const std::optional<int> index = device_index(name, kind);
    if (!index || *index >= end) throw Error("no device '" + name + "'");
    if (std::ranges::find(indices, *index) != indices.end()) {
      throw Error("device '" + name + "' is named twice");
    }
    indices.push_back(*index);
    if (comma == std::string_view::npos) return indices;
    list.remove_prefix(comma + 1);
  }
}

std::string device_list(std::string_view kind, std::span<const int> indices) {
  std::string list;
  for (const int index : indices) {
    if (!list.empty()) list += ',';
    list += std::string(kind) + std::to_string(index);
  }
  return list;
}

std::string consecutive_devices(const std::string& first, int count) {
  if (count == 1) return first;
  const bool gpus = first.starts_with(gpu_kind);
  if (gpus && part_of_gpu(first)) {
    throw Error("device '" + first + "' is a part of a GPU, which runs alone; name the whole GPU");
  }
  std::vector<int> indices(static_cast<std::size_t>(count));
  std::iota(indices.begin(), indices.end(), gpus ? parse_device_list(first, gpu_kind).front() : 0);
  return device_list(gpus ? gpu_kind : group_kind, indices);
}

}  // namespace sparsecast
