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
};

/// Whether devices receive what their rows look up, and no more.
constexpr bool exchanges_halos(ExchangeMode mode) {
  return mode == ExchangeMode::halo || mode == ExchangeMode::nccl;
}

/// "automatic", "staged", "peer", "halo", "nccl": the names in tables and options.
std::string_view to_string(ExchangeMode mode);

/// The inverse of `to_string`. Throws `Error` that lists the known names.
ExchangeMode parse_exchange_mode(std::string_view name);

}  // namespace sparsecast
