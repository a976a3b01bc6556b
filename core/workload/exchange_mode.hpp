#pragma once

#include <string_view>

namespace sparsecast {

/// How several devices complete a full vector of which each has computed its segment's part.
enum class ExchangeMode {
  automatic,  ///< halo where all devices reach each other's memory, else nccl (ranks) or staged
  staged,     ///< all of it, through pinned host memory (the paper)
  peer,       ///< all of it, from device to device
  halo,       ///< what the other devices' rows look up of it, from device to device
  nccl,       ///< the same by NCCL, between ranks
  gpu_aware,  ///< the same by GPU-aware MPI, between ranks
};

/// Whether it is one of ranks alone, and no way of several devices of one process.
constexpr bool is_between_ranks(ExchangeMode mode) {
  return mode == ExchangeMode::nccl || mode == ExchangeMode::gpu_aware;
}

/// Whether the hosts of ranks exchange, between kernels that they wait for: in launch mode `host`.
constexpr bool is_by_hosts_of_ranks(ExchangeMode mode) {
  return mode == ExchangeMode::gpu_aware || mode == ExchangeMode::staged;
}

/// Whether devices receive what their rows look up, and no more.
constexpr bool exchanges_halos(ExchangeMode mode) {
  return mode == ExchangeMode::halo || is_between_ranks(mode);
}

/// "automatic", "staged", "peer", "halo", "nccl", "gpu-aware": the names in tables and options.
std::string_view to_string(ExchangeMode mode);

/// The inverse of `to_string`. Throws `Error` that lists the known names.
ExchangeMode parse_exchange_mode(std::string_view name);

}  // namespace sparsecast
