#pragma once

namespace sparsecast {

/// The last-level cache of a device whose calibration saw one (CPUs). Not in the paper, whose GPU
/// had none: a solver's whole working set passes through the cache in every iteration, so that what
/// does not fit comes from memory each time, for all kernels alike.
struct CacheEffect {
  double capacity_bytes = 0;  ///< effective: half of the traffic misses at this working set
  double sharpness = 1;       ///< how steeply misses set in around it
};

/// Share of the traffic that comes from memory: `1 / (1 + (capacity / working set)^sharpness)`.
double missing_share(const CacheEffect& cache, double working_set_bytes);

}  // namespace sparsecast
