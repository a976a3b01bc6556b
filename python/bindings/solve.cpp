#include "core/engine/solve.hpp"

#include <pybind11/numpy.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/text/name_list.hpp"
#include "core/engine/solve_method.hpp"
#include "core/engine/solve_result_json.hpp"
#include "core/open_backend.hpp"
#include "core/schedule/shipped/shipped_methods.hpp"
#include "python/bindings/arguments.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/matrix.hpp"
#include "python/bindings/results.hpp"
#include "python/bindings/schedule.hpp"
#include "python/bindings/watch.hpp"

namespace sparsecast::python {
namespace {

/// A solve as it was asked for.
struct SolveCall {
  SolveOptions options;
  std::optional<OwnSchedule> own;
  Precision precision = Precision::f64;
  std::string device = "cpu";
  int threads = 0;
  CudaPolicy cuda;
  bool history = false;

  const std::string& solver() const { return own ? own->method.name : solver_of(options).name(); }
  MatrixKind needs() const { return own ? own->method.needs : solver_of(options).needs; }
};

/// A solve with all that came of it.
struct Solution {
  SolveResult result;
  std::vector<double> x;
  std::optional<std::vector<double>> history;
  std::string solver;
  std::string device;
  Layout layout;
  Precision precision = Precision::f64;
};

StopRule stop_rule(const Arguments& arguments) {
  StopRule rule;
  int given = 0;
  const auto tolerance = [&](const char* name, StopRule::Kind kind) {
    if (!arguments.has(name)) return;
    rule.kind = kind;
    arguments.read(name, rule.tolerance);
    if (!(rule.tolerance >= 0)) refuse_argument(name, "expected a number that is not negative");
    ++given;
  };
  const auto iterations = [&](const char* name) {
    arguments.read(name, rule.max_iterations);
    if (arguments.has(name) && rule.max_iterations < 1) {
      refuse_argument(name, "expected a positive number");
    }
  };
  tolerance("rtol", StopRule::Kind::relative);
  tolerance("atol", StopRule::Kind::absolute);
  iterations("max_iterations");
  if (arguments.has("iterations")) {
    if (arguments.has("max_iterations")) {
      refuse_argument("iterations", "max_iterations is given too; give one of them");
    }
    iterations("iterations");
    rule.kind = StopRule::Kind::fixed_iterations;
    ++given;
  }
  if (given > 1) refuse_argument("rtol, atol, iterations", "expected one of them");
  std::string stop = "residual";
  arguments.read("stop", stop);
  if (stop != "residual" && stop != "preconditioned") {
    refuse_argument("stop", "expected residual or preconditioned, found '" + stop + "'");
  }
  if (stop == "preconditioned") {
    if (rule.kind != StopRule::Kind::relative) refuse_argument("stop", "is of rtol");
    rule.kind = StopRule::Kind::preconditioned;
  }
  return rule;
}

SolveCall call_of(const Arguments& arguments) {
  SolveCall call;
  call.options.stop = stop_rule(arguments);
  arguments.read("layout", call.options.layout);
  ChosenSolvers chosen = chosen_solvers(arguments);
  require_one(arguments, chosen);
  if (!chosen.built_in.empty()) call.options.schedule = chosen.built_in.front();
  if (!chosen.own.empty()) call.own = std::move(chosen.own.front());
  if (call.own && arguments.has("execution")) {
    refuse_argument("execution", "is chosen with the Schedule");
  }
  arguments.read("precision", call.precision);
  arguments.read("device", call.device);
  arguments.read("threads", call.threads);
  if (call.threads < 0) refuse_argument("threads", "expected 0, all, or more");
  arguments.read("launch", call.cuda.launch_mode, parse_launch_mode);
  if (!arguments.has("launch")) call.cuda.launch_mode = LaunchMode::automatic;
  arguments.read("exchange", call.cuda.exchange, parse_exchange_mode);
  if (call.device.starts_with("cpu")) {
    for (const char* name : {"launch", "exchange"}) {
      if (arguments.has(name)) refuse_argument(name, "is of GPUs; leave it out");
    }
  }
  arguments.read("history", call.history);
  return call;
}

/// Throws `Error` where a solver needs a symmetric matrix of finite values and this is none.
void require_symmetric(Matrix& matrix, const SolveCall& call) {
  if (call.needs() == MatrixKind::square) return;
  require_finite({&matrix, nullptr});  // NaN is not even equal to itself
  if (matrix.features().symmetric) return;
  throw Error("the matrix is not symmetric; " + call.solver() + " needs a " +
              std::string(to_string(call.needs())) + " one; use solver " +
              one_of(shipped_names_for(MatrixKind::square)));
}

template <class T>
SolveResult solve_system(const SolveCall& call, Backend& backend, const CsrView<T>& matrix,
                         std::span<const T> b, std::span<T> x) {
  if (!call.own) return solve(backend, matrix, b, x, call.options);
  return solve_by_method(backend, call.own->method, call.own->settings, matrix, b, x, call.options,
                         call.own->execution);
}

SolveResult solve_in_precision(const SolveCall& call, Backend& backend, Matrix& matrix,
                               const std::vector<double>& b, std::vector<double>& x) {
  if (call.precision == Precision::f64) {
    return solve_system<double>(call, backend, matrix.view(), b, x);
  }
  CsrMatrix<float> copy;
  const CsrView<float> view = matrix.single_view(copy);
  const std::vector<float> right(b.begin(), b.end());
  std::vector<float> values(x.begin(), x.end());
  const SolveResult result = solve_system<float>(call, backend, view, right, values);
  std::ranges::copy(values, x.begin());
  return result;
}

Solution solve_in_python(Matrix& matrix, const py::object& given_b, const py::object& start,
                         const py::dict& given, py::object progress) {
  const Arguments arguments(given);
  SolveCall call = call_of(arguments);
  if (matrix.rows() != matrix.columns()) {
    throw Error("a matrix of " + std::to_string(matrix.rows()) + " rows and " +
                std::to_string(matrix.columns()) + " columns; a solve needs a square one");
  }
  const std::vector<double> b = vector_of("b", given_b, matrix.rows());
  Solution solution;
  solution.x =
      start.is_none() ? std::vector<double>(b.size(), 0) : vector_of("x0", start, matrix.rows());
  if (call.history) {
    solution.history.emplace();
    call.options.record = [&solution](std::int64_t, double norm) {
      solution.history->push_back(norm);
    };
  }
  without_lock(std::move(progress), [&](Watch& watch) {
    const auto turn = matrix.turn();
    const std::unique_ptr<Backend> backend = open_backend(call.device, call.threads, call.cuda);
    require_symmetric(matrix, call);
    call.options.keep_going = [&watch](const SolveProgress& so_far) {
      return watch.goes_on(so_far.fraction);
    };
    solution.result = solve_in_precision(call, *backend, matrix, b, solution.x);
    solution.device = backend->description();
  });
  solution.solver = call.solver();
  solution.layout = call.options.layout;
  solution.precision = call.precision;
  return solution;
}

/// `SolveResult::brief` in Python's words.
std::string brief_of(const SolveResult& result) {
  return result.brief({"solver", "a solver with precondition=\"none\""});
}

py::array_t<double> array_of(const std::vector<double>& values) {
  return py::array_t<double>(static_cast<py::ssize_t>(values.size()), values.data());
}

/// A number of the result.
template <class Member>
auto of_result(Member SolveResult::*member) {
  return [member](const Solution& self) { return self.result.*member; };
}

}  // namespace

void bind_solve(py::module_& module) {
  py::class_<Solution>(module, "SolveResult", R"(
How a solve ended, and what it cost.

>>> solution = sparsecast.solve(A, np.ones(2500), iterations=7)
>>> solution.outcome, solution.iterations, solution.x.shape
('iteration limit', 7, (2500,))
)")
      .def_property_readonly(
          "x", [](const Solution& self) { return array_of(self.x); },
          "The best known iterate, in f64, whatever the outcome.")
      .def_property_readonly(
          "outcome", [](const Solution& self) { return name_of(self.result.outcome); },
          "\"converged\", or why it did not.")
      .def_property_readonly(
          "converged",
          [](const Solution& self) { return self.result.outcome == Outcome::converged; },
          "Whether the outcome is that.")
      .def_property_readonly("iterations", of_result(&SolveResult::iterations), "How many ran.")
      .def_property_readonly(
          "history",
          [](const Solution& self) -> py::object {
            if (!self.history) return py::none();
            return array_of(*self.history);
          },
          "The residual's norm by the solver's own recurrence, before the first and after each "
          "iteration; None where it was not asked for.")
      .def_property_readonly("tolerance", of_result(&SolveResult::tolerance),
                             "Of the rule that ended it.")
      .def_property_readonly("residual_norm", of_result(&SolveResult::residual_norm),
                             "||b - A x||, computed from x at the end.")
      .def_property_readonly("recurrence_norm", of_result(&SolveResult::recurrence_norm),
                             "The same by the solver's own recurrence; None where it keeps none.")
      .def_property_readonly("right_hand_side_norm", of_result(&SolveResult::right_hand_side_norm),
                             "||b||.")
      .def_property_readonly(
          "preconditioned_norm", of_result(&SolveResult::preconditioned_norm),
          "sqrt(r.D^-1 r) at the end, where stop is \"preconditioned\"; else None.")
      .def_property_readonly("first_preconditioned_norm",
                             of_result(&SolveResult::first_preconditioned_norm),
                             "The same before the first iteration.")
      .def_property_readonly(
          "seconds_per_iteration",
          [](const Solution& self) { return self.result.seconds_per_iteration(); },
          "Seconds, the mean of all iterations.")
      .def_property_readonly("iteration_seconds", of_result(&SolveResult::iteration_seconds),
                             "Seconds of all iterations together, without setup.")
      .def_property_readonly("conversion_seconds", of_result(&SolveResult::conversion_seconds),
                             "Seconds to bring the matrix into the layout.")
      .def_property_readonly("upload_seconds", of_result(&SolveResult::upload_seconds),
                             "Seconds to send it and the vectors to the devices.")
      .def_property_readonly("preconditioner_seconds",
                             of_result(&SolveResult::preconditioner_seconds),
                             "Seconds that the host took to make the preconditioner.")
      .def_property_readonly("start_seconds", of_result(&SolveResult::start_seconds),
                             "Seconds of the solver's steps before its iterations.")
      .def_property_readonly("finish_seconds", of_result(&SolveResult::finish_seconds),
                             "Seconds of its steps behind them.")
      .def_property_readonly(
          "solution_seconds", [](const Solution& self) { return self.result.solution_seconds(); },
          "Seconds of all that together: the time to solution.")
      .def_property_readonly("bytes_per_device", of_result(&SolveResult::bytes_per_device),
                             "Bytes of matrix and vectors on each device.")
      .def_readonly("solver", &Solution::solver, "Its name.")
      .def_readonly("device", &Solution::device, "For people.")
      .def_property_readonly(
          "layout", [](const Solution& self) { return name_of(self.layout); },
          "How the matrix was stored.")
      .def_property_readonly(
          "precision", [](const Solution& self) { return name_of(self.precision); },
          "\"f32\" or \"f64\".")
      .def(
          "to_dict",
          [](const Solution& self) {
            return from_json(
                to_json(self.result, self.solver, self.device, self.layout, self.precision));
          },
          "The keys of `sparsecast solve --json`.")
      .def(
          "brief", [](const Solution& self) { return brief_of(self.result); },
          "One line: outcome, iterations, residual, time.")
      .def("__repr__", [](const Solution& self) {
        return "<sparsecast.SolveResult: " + brief_of(self.result) + ">";
      });
  set_module<Solution>();
  module.def("solve", &solve_in_python);
}

}  // namespace sparsecast::python
