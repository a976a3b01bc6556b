#include "model/traffic/cpu_waits.hpp"

#include <cstddef>
#include <set>

#include "core/schedule/diagonal_blocks.hpp"
#include "model/step_kinds.hpp"

namespace sparsecast {

std::vector<int> cpu_waits(const Schedule& schedule) {
  std::vector<int> waits(schedule.iteration.size(), 0);
  std::set<VectorSlot> written;  // since threads waited last
  // The second round meets what the end of the first left.
  for (int round = 0; round < 2; ++round) {
    for (std::size_t i = 0; i < schedule.iteration.size(); ++i) {
      const Step& step = schedule.iteration[i];
      if (!runs_mostly(step) || !runs_kernel(step)) continue;
      waits[i] = 0;
      const bool is_gathered =
          step.traffic.gathered_per_total_unknown > 0 && written.contains(step.vectors.front());
      if (is_gathered ||
          (multiplies_by_blocks(step) && written.contains(*(step.vectors.end() - 2)))) {
        ++waits[i];
        written.clear();
      }
      for (std::size_t k = 0; k < step.accesses.size(); ++k) {
        if (step.accesses[k] != VectorAccess::read) written.insert(step.vectors[k]);
      }
      if (sums(step)) {
        ++waits[i];
        written.clear();
      }
    }
  }
  return waits;
}

}  // namespace sparsecast
