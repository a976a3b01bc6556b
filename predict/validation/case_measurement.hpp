#pragma once

#include <string_view>
#include <vector>

#include "core/base/stopwatch.hpp"
#include "core/engine/backend.hpp"
#include "core/engine/ranks/rank_part.hpp"
#include "core/matrix/csr.hpp"
#include "core/workload/layout.hpp"
#include "core/workload/segment_shape.hpp"
#include "predict/validation/validation_request.hpp"

namespace sparsecast {

/// What a back end says of a case: its time, and what it stored, one a device.
struct CaseMeasurement {
  Timing timing;
  std::vector<SegmentShape> segments;
};

/// Measures a schedule (`ValidatedSolver`) on a matrix in a layout. With a `part`: of one that
/// ranks share, all of which call it; the segments are theirs, in their order. Throws `Error` as
/// `Backend::prepare` and `measure_iteration` do, and where no time can be told.
template <class T>
CaseMeasurement measure_case(Backend& backend, const CsrView<T>& matrix, std::string_view schedule,
                             const Layout& layout, const ValidationRequest& request,
                             const RankPart* part = nullptr);

}  // namespace sparsecast
