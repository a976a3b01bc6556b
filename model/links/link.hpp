#pragma once

#include <map>
#include <optional>
#include <string>

#include "model/links/link_costs.hpp"
#include "model/paper/kernel_curve.hpp"

namespace sparsecast {

/// The law by which exchanged elements grow with the number n of devices (equation 11).
enum class ExchangeLaw {
  staged,   ///< through host memory, a bus for all: x * n elements
  peer,     ///< device to device: x elements, as the paper counts
  ingress,  ///< over links of each device's own: (n - 1) * x / n elements reach each
};

/// Throughput of the exchange of a whole vector, alone, over the elements that its law counts.
struct ExchangeCurve {
  KernelCurve curve;
  ExchangeLaw law = ExchangeLaw::ingress;
};

/// Links and synchronisation of n devices.
struct Link {
  KernelCurve exchange;  ///< throughput over exchanged elements
  ExchangeLaw law = ExchangeLaw::staged;
  double sync_seconds = 0;  ///< one synchronisation of all devices
  /// The devices share one memory bus (thread groups of a CPU): n of them together are as fast as
  /// one, so a device alone has curves scaled to B(n*m)/n.
  bool shared_bus = false;
  /// Of GPUs: every way of exchanging that was measured, by precision ("f64/peer", "f32/staged");
  /// `exchange` is the fastest, of both precisions together.
  std::map<std::string, ExchangeCurve> curves;
  std::optional<LinkCosts> costs;  ///< for the traffic model; of GPUs
};

}  // namespace sparsecast
