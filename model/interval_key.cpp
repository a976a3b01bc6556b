#include "model/interval_key.hpp"

#include "model/working_set.hpp"

namespace sparsecast {

std::string interval_key(const Schedule& schedule, LaunchMode launch, double working_set_bytes) {
  const std::string kind = launch == LaunchMode::persistent ? "persistent"
                           : schedule.iteration.size() == 1 ? "step"
                                                            : "iteration";
  return kind + '/' + std::to_string(working_set_stratum(working_set_bytes));
}

}  // namespace sparsecast
