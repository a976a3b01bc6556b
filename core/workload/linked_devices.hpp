#pragma once

namespace sparsecast {

/// Devices whose kernels exchange halos and sums with each other, without the host, at most.
inline constexpr int most_linked_devices = 8;

}  // namespace sparsecast
