#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/links/link_costs.hpp"

/// @file
/// What it costs ranks to work on one system: processes with a GPU (or the cores of a CPU) each, on
/// one host or on many. `sparsecast calibrate --links` measures it, `NAME.network.json` keeps it.
/// Equations: docs/network.md.

namespace sparsecast {

/// What lies between two ranks.
enum class LinkClass { same_host, other_host };

/// Who carries messages between ranks.
enum class Transport {
  mpi,        ///< MPI, between ranks of a CPU
  staged,     ///< MPI, between GPUs: through the memory of their hosts
  nccl,       ///< NCCL, between GPUs, in their streams
  gpu_aware,  ///< MPI, between GPUs: it is given their memory
};

/// A message between two ranks that have nothing else to do takes `latency + bytes / rate`
/// (R. W. Hockney, The communication challenge for MPP, 1994). A large one takes `large` more: MPI
/// sends it when the receiver has said where to (the rendezvous protocol), others at once; messages
/// by NCCL have such a step, too.
struct MessageCosts {
  Estimate latency_seconds;
  Estimate gbps;           ///< 1e9 bytes a second, one way, while as many come the other way
  double large_bytes = 0;  ///< messages of more are large; 0: none is
  Estimate large_seconds{};

  /// What a message of so many bytes waits for.
  double seconds_before(double bytes) const {
    const bool large = large_bytes > 0 && bytes > large_bytes;
    return latency_seconds.value + (large ? large_seconds.value : 0);
  }
};

/// A sum of a few numbers over p ranks, whose result all of them have, takes `fixed` and so much
/// for each doubling of the ranks: by NCCL `same_host * ceil(log2 g) + other_host * ceil(log2 h)`
/// for g ranks on each of h hosts, by MPI as deep as the tree of `Communicator::sum` is
/// (`model/network/sum_tree.hpp`).
struct SumCosts {
  Estimate fixed_seconds;
  std::map<LinkClass, Estimate> doubling_seconds;
};

/// What one transport costs. An exchange of halos by neighbours takes a rank
/// `fixed + message * (neighbours - 1) + the longest that one of its messages waits + its bytes /
/// rate`, the latter of what takes longest: its own links to either class, or its host's adapters.
/// By MPI a latency may pass while a sum is on its way (`model/network/behind_sums.hpp`).
struct TransportCosts {
  Estimate fixed_seconds;    ///< whatever is exchanged: packing, launches, waits
  Estimate message_seconds;  ///< of each neighbour beyond the first
  std::map<LinkClass, MessageCosts> links;
  SumCosts sum;
};

/// How ranks are joined.
struct Network {
  enum class Origin {
    measured,    ///< by `sparsecast calibrate --links`
    data_sheet,  ///< other hosts from data sheets and publications, named in `sources`
  };

  std::string name;  ///< file name without .network.json
  Origin origin = Origin::measured;
  std::string description;                         ///< "InfiniBand NDR, an adapter a GPU"
  std::map<std::string, std::string> environment;  ///< MPI, NCCL, devices, date, ...
  std::vector<std::string> sources;                ///< of numbers that were not measured
  int ranks_per_host = 1;                          ///< as measured, or usual
  int adapters_per_host = 1;                       ///< which the ranks of a host share
  double adapter_gbps = 0;                         ///< of one, each way; 0: as `other_host` says
  /// How far the times of a rank for the same work lie apart: their standard deviation over their
  /// mean. Who waits for p ranks waits for the slowest.
  double deviation = 0;
  std::map<Transport, TransportCosts> transports;
};

}  // namespace sparsecast
