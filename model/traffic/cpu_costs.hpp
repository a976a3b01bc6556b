#pragma once

/// @file
/// What the traffic model (`model/traffic/traffic_pricer.hpp`) knows of a CPU. Its caches are a
/// nearest and a private one of each core, and a last one that all cores share.

namespace sparsecast {

/// What holds for all that runs on the CPU. Rates and capacities of private caches are one
/// thread's, those of the shared cache and of memory all threads' together.
struct CpuCosts {
  double call_seconds = 0;       ///< of a product
  double scalar_seconds = 0;     ///< of a step without rows: scalars, tests
  double wait_seconds = 0;       ///< of threads for each other, where there are two
  double thread_seconds = 0;     ///< more for each further thread
  double nearest_bytes = 0;      ///< effective capacities: what is reused after so many bytes is
  double private_bytes = 0;      ///<   missed by half
  double shared_bytes = 0;       ///<
  double sharpness = 1;          ///< how steeply misses set in around them
  double private_gbps = 0;       ///< from the private cache
  double shared_gbps = 0;        ///< from the shared one
  double memory_read_gbps = 0;   ///< from memory
  double memory_write_gbps = 0;  ///< to memory
  double overlap = 1;            ///< 1: times add up; the larger, the more they overlap
  double private_lookup_seconds = 0;  ///< of a sector that is looked up again and found there
  double shared_lookup_seconds = 0;
  double memory_lookup_seconds = 0;
  double remote_lookup_seconds = 0;   ///< of one that another core has written since, and still
                                      ///<   has, where there are a thousand (docs/model.md,
                                      ///<   "On a CPU")
  double evicted_lookup_seconds = 0;  ///< of one that its private cache has lost by then
  double uneven_row_seconds = 0;      ///< of a row of CSR that is not as long as those beside it
};

/// What one thread's instructions for a kernel on vectors take, where all is in the nearest cache.
struct CpuKernelCosts {
  double gbps = 0;
};

/// What one thread's instructions for a multiplication take, where all is in the nearest cache.
struct CpuProductCosts {
  double row_seconds = 0;    ///< of a stored block row
  double block_seconds = 0;  ///< of a stored block
};

}  // namespace sparsecast
