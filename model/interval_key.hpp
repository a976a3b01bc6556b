#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/schedule/schedule.hpp"
#include "core/workload/launch_mode.hpp"
#include "core/workload/layout.hpp"
#include "model/interval_ratios.hpp"

namespace sparsecast {

/// What keys of kernels for all iterations begin with.
inline constexpr std::string_view persistent_intervals = "persistent";

/// The keys of the intervals of a time, the most particular first; a profile may lack some. A key
/// is a kind and the stratum of the working set, "iteration/2". Kinds: "iteration" (several
/// kernels, by graph or on a CPU), "plain" and "host" (launched so), "passes" (of vector passes, as
/// a user's own solver has, however launched), "persistent" (one kernel for all iterations) and
/// "step" (a single step); of formats beside CSR and blocks with the format's name, "step-dia/3".
/// A format of which little was measured has one for all that takes its products, "step-ell".
/// `launch`: none on a CPU.
std::vector<std::string> interval_keys(const Schedule& schedule, std::optional<LaunchMode> launch,
                                       const Layout& layout, double working_set_bytes);

/// Those of the first of the keys that there is; null: of none.
const IntervalRatios* find_intervals(const std::map<std::string, IntervalRatios>& intervals,
                                     std::span<const std::string> keys);

/// "step" of "step-dia/3": which intervals of another GPU it is like.
std::string_view interval_kind(std::string_view key);

}  // namespace sparsecast
