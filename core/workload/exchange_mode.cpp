#include "core/workload/exchange_mode.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/text/text_fields.hpp"

namespace sparsecast {

namespace {

constexpr std::array exchange_modes{
    std::pair{ExchangeMode::automatic, std::string_view("automatic")},
    std::pair{ExchangeMode::staged, std::string_view("staged")},
    std::pair{ExchangeMode::peer, std::string_view("peer")},
    std::pair{ExchangeMode::halo, std::string_view("halo")},
    std::pair{ExchangeMode::nccl, std::string_view("nccl")},
    std::pair{ExchangeMode::gpu_aware, std::string_view("gpu-aware")}};

}  // namespace

std::string_view to_string(ExchangeMode mode) {
  return std::ranges::find(exchange_modes, mode, &std::pair<ExchangeMode, std::string_view>::first)
      ->second;
}

ExchangeMode parse_exchange_mode(std::string_view name) {
  std::string known;
  for (const auto& [mode, its_name] : exchange_modes) {
    if (name == its_name) return mode;
    known += (known.empty() ? "" : ", ") + std::string(its_name);
  }
  throw Error("unknown exchange " + in_quotes(name) + "; expected one of " + known);
}

}  // namespace sparsecast
