#include "predict/validation/case_measurement.hpp"

#include <cstdint>
#include <string>

#include "core/base/error.hpp"
#include "core/engine/iteration_timing.hpp"
#include "core/engine/ranks/rank_lists.hpp"
#include "predict/validation/case_price.hpp"

namespace sparsecast {

namespace {

StopwatchOptions stopwatch_of(const ValidationRequest& request) {
  StopwatchOptions options;
  options.max_seconds = request.seconds_per_case;
  if (request.gpu) options.min_round_seconds = 5e-4;  // its runs differ by a microsecond or two
  return options;
}

}  // namespace

template <class T>
CaseMeasurement measure_case(Backend& backend, const CsrView<T>& matrix, std::string_view schedule,
                             const Layout& layout, const ValidationRequest& request,
                             const RankPart* part) {
  const bool gpu = request.gpu.has_value();
  const StopwatchOptions options = stopwatch_of(request);
  const auto own = request.own.find(schedule);
  const Solver solver = own != request.own.end() ? own->second.for_matrix(matrix, part)
                                                 : case_solver(schedule, request.own);
  const Schedule& steps = solver.schedule;
  const auto prepared = backend.prepare(steps, matrix, layout);
  CaseMeasurement result;
  result.segments = prepared->segments();
  if (part != nullptr) {
    result.segments = gather(*part->ranks, result.segments.front());
    for (SegmentShape& segment : result.segments) {
      segment.total_unknowns = static_cast<double>(part->unknowns());
    }
  }
  if (schedule == product_alone) {
    const std::string& input =
        steps.vectors[static_cast<std::size_t>(steps.iteration.front().vectors.front())].name;
    prepared->set_vector(input, std::vector<T>(static_cast<std::size_t>(matrix.columns), T(1)));
    const auto run = [&](std::int64_t products) { prepared->run(products); };
    result.timing = gpu ? measure_repeats_alone(run, options) : measure(run, options);
  } else {
    result.timing = measure_iteration(*prepared, solver.slots, matrix, options, part);
  }
  if (!(result.timing.median_seconds > 0)) {
    throw Error("other programs disturb the device so much that no time can be told; run it again");
  }
  return result;
}

template CaseMeasurement measure_case(Backend&, const CsrView<float>&, std::string_view,
                                      const Layout&, const ValidationRequest&, const RankPart*);
template CaseMeasurement measure_case(Backend&, const CsrView<double>&, std::string_view,
                                      const Layout&, const ValidationRequest&, const RankPart*);

}  // namespace sparsecast
