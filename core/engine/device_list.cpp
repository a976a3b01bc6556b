#include "core/engine/device_list.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>

#include "core/base/error.hpp"

namespace sparsecast {

std::optional<int> device_index(std::string_view name, std::string_view kind) {
  if (!name.starts_with(kind)) return std::nullopt;
  name.remove_prefix(kind.size());
  int index = -1;
  const auto [end, status] = std::from_chars(name.data(), name.data() + name.size(), index);
  if (status != std::errc{} || end != name.data() + name.size() || index < 0) return std::nullopt;
  return index;
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
  std::vector<int> indices(static_cast<std::size_t>(count));
  std::iota(indices.begin(), indices.end(), gpus ? parse_device_list(first, gpu_kind).front() : 0);
  return device_list(gpus ? gpu_kind : group_kind, indices);
}

}  // namespace sparsecast
