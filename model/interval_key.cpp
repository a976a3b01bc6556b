#include "model/interval_key.hpp"

#include "model/working_set.hpp"

namespace sparsecast {

std::string interval_key(const Schedule& schedule, LaunchMode launch, double working_set_bytes) {
  const std::string_view kind = launch == LaunchMode::persistent ? persistent_intervals
                                : schedule.iteration.size() == 1 ? "step"
                                                                 : "iteration";
  return std::string(kind) + '/' + std::to_string(working_set_stratum(working_set_bytes));
}

}  // namespace sparsecast
