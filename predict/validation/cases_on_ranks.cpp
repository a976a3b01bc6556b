#include "predict/validation/cases_on_ranks.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/base/error.hpp"
#include "core/engine/ranks/rank_errors.hpp"
#include "core/engine/ranks/rank_lists.hpp"
#include "core/engine/solve_method.hpp"
#include "core/formats/registry.hpp"
#include "predict/validation/case_price.hpp"

namespace sparsecast {

CasesOnRanks::CasesOnRanks(Communicator& ranks, const ValidationRequest& request, OpenBackend open)
    : ranks_(ranks), request_(request), open_(std::move(open)) {
  RankPart nothing;
  nothing.ranks = &ranks;
  nothing.rows.begins.assign(static_cast<std::size_t>(ranks.size()) + 1, 0);
  open_(nothing, request.launch_on_several());
}

CasesOnRanks::Cut CasesOnRanks::cut_for(std::size_t solver, const Layout& layout) const {
  const std::string& name = request_.solvers[solver].schedule;
  const auto own = request_.own.find(name);
  return {layout.block_size, multiplies_by_transpose(case_solver(name, request_.own).schedule),
          own != request_.own.end() ? rows_together(own->second.method()) : 1};
}

CaseMeasurement CasesOnRanks::measure(const ValidationInput& input, const ValidationRow& row,
                                      LaunchMode launch) {
  const auto solver = std::ranges::find(request_.solvers, ValidatedSolver{row.schedule, launch});
  Order order;
  order.task = Task::measure;
  order.solver = static_cast<std::size_t>(solver - request_.solvers.begin());
  order.layout = layout_index(row.layout);
  order.precision = row.precision;
  order.cuts = cut_ != cut_for(order.solver, row.layout);
  return carry_out(gather(ranks_, order).front(), input.f64.view());
}

void CasesOnRanks::keep_waiting() {
  gather(ranks_, Order{});
}

void CasesOnRanks::finish() {
  gather(ranks_, Order{.task = Task::finish});
}

void CasesOnRanks::serve() {
  while (true) {
    const Order order = gather(ranks_, Order{}).front();
    if (order.task == Task::finish) return;
    if (order.task == Task::wait) continue;
    try {
      carry_out(order, {});
    } catch (const Error&) {
      // Rank 0 says so.
    }
  }
}

CaseMeasurement CasesOnRanks::carry_out(const Order& order, const CsrView<double>& whole) {
  CaseMeasurement measured;
  const std::string failure = failure_of([&] { measured = measure_part(order, whole); });
  if (const auto first = first_error(ranks_, failure)) {
    if (first->of_all) throw Error(first->text);
    throw std::runtime_error("rank " + std::to_string(first->rank) + ": " + first->text);
  }
  return measured;
}

CaseMeasurement CasesOnRanks::measure_part(const Order& order, const CsrView<double>& whole) {
  const ValidatedSolver& solver = request_.solvers[order.solver];
  const Layout& layout = all_layouts()[order.layout];
  if (order.cuts) {
    const Cut cut = cut_for(order.solver, layout);
    cut_.reset();
    backends_.clear();
    mine_ = distribute_whole(ranks_, whole,
                             part_options(layout, cut.by_transpose, cut.rows_together, true));
    cut_ = cut;
  }
  std::unique_ptr<Backend>& backend = backends_[solver.launch];
  if (!backend) backend = open_(mine_.part, solver.launch);
  if (order.precision == Precision::f64) {
    return measure_case<double>(*backend, mine_.matrix.view(), solver.schedule, layout, request_,
                                &mine_.part);
  }
  const CsrMatrix<float> rounded = convert_values<float>(mine_.matrix.view());
  return measure_case<float>(*backend, rounded.view(), solver.schedule, layout, request_,
                             &mine_.part);
}

}  // namespace sparsecast
