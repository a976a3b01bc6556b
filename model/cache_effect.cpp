#include "model/cache_effect.hpp"

#include <cmath>

namespace sparsecast {

double missing_share(const CacheEffect& cache, double working_set_bytes) {
  if (!(working_set_bytes > 0)) return 0;
  return 1 / (1 + std::pow(cache.capacity_bytes / working_set_bytes, cache.sharpness));
}

}  // namespace sparsecast
