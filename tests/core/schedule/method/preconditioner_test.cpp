#include "core/schedule/method/preconditioner.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/cpu/cpu_backend.hpp"
#include "core/engine/matrix_functions.hpp"
#include "core/engine/shipped_schedules.hpp"
#include "core/engine/solve_parts.hpp"
#include "core/matrix/diagonal.hpp"
#include "core/refusal.hpp"
#include "core/schedule/method/check_method.hpp"
#include "core/schedule/method/method_json.hpp"
#include "core/schedule/schedule_text.hpp"

namespace sparsecast {
namespace {

Solver lowered(const Method& method, const NamedNumbers& settings = {}) {
  check_method(method);
  return lower(method, parameter_values(method, settings, [](const Expression&) { return 1.0; }),
               Execution::fused);
}

/// Reads and writes of each kernel of an iteration, an unknown.
std::vector<double> moved(const Schedule& schedule) {
  std::vector<double> values;
  for (const Step& step : schedule.iteration) {
    if (step.kind != StepKind::kernel) continue;
    values.push_back(step.traffic.vector_reads_per_unknown +
                     step.traffic.vector_writes_per_unknown);
  }
  return values;
}

bool has_vector(const Schedule& schedule, const std::string& name) {
  return std::ranges::find(schedule.vectors, name, &VectorDeclaration::name) !=
         schedule.vectors.end();
}

/// Whether its preconditioner may be another than a diagonal.
bool takes_any(const Method& method) {
  const bool transposes = std::ranges::any_of(method.operators, [](const auto& each) {
    return each.kind == OperatorDeclaration::Kind::transpose;
  });
  return !transposes && !method.execution &&
         std::ranges::none_of(method.parameters, [](const Parameter& each) {
           return each.value && to_string(*each.value).find("(M, A)") != std::string::npos;
         });
}

TEST(WithPreconditioner, NoneMovesWhatTheMethodWithoutOneMoves) {
  const Method method = with_preconditioner(shipped_method("cg"), Preconditioner::none);
  EXPECT_EQ(method.name, "cg-none");
  const Solver made = lowered(method);
  EXPECT_EQ(moved(made.schedule), moved(lowered(shipped_method("cg-plain")).schedule));
  EXPECT_FALSE(has_vector(made.schedule, "z"));
  EXPECT_FALSE(has_vector(made.schedule, "M"));
  EXPECT_TRUE(made.slots.diagonals.empty());
}

TEST(WithPreconditioner, JacobiMultipliesEachVectorOfTheBasis) {
  const NamedNumbers settings{{"m", 3}};
  const Solver none = lowered(shipped_method("gmres"), settings);
  EXPECT_FALSE(has_vector(none.schedule, "z"));
  const Solver jacobi =
      lowered(with_preconditioner(shipped_method("gmres"), Preconditioner::jacobi), settings);
  EXPECT_EQ(jacobi.name(), "gmres-jacobi");
  const std::string text = ScheduleText(jacobi.schedule).of(jacobi.schedule.iteration);
  for (const char* line : {"z = +M*V[0]", "z = +M*V[1]", "z = +M*V[2]", "product q = A*z"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << " in\n" << text;
  }
}

TEST(WithPreconditioner, OfTheMethodsOwnKindChangesNothing) {
  EXPECT_EQ(with_preconditioner(shipped_method("cg"), Preconditioner::jacobi).name, "cg");
  EXPECT_EQ(with_preconditioner(shipped_method("gmres"), Preconditioner::none).name, "gmres");
  EXPECT_THROW(with_preconditioner(shipped_method("minres"), Preconditioner::none), Error);
}

TEST(WithPreconditioner, NoneTakesBoundsOfTheMatrixItself) {
  const CsrMatrix<double> matrix = laplacian(5, 8, 8);
  const auto high = [&](const Method& method) {
    return parameter_values(method, {}, functions_of(matrix.view())).at("high");
  };
  const Method& method = shipped_method("chebyshev");
  EXPECT_EQ(high(method), 2);
  EXPECT_EQ(high(with_preconditioner(method, Preconditioner::none)), 8);
}

TEST(WithPreconditioner, AllSolversSolveWithEachAsTheReferenceDoes) {
  int choices = 0;
  for (const Method& shipped : shipped_methods()) {
    if (!has_preconditioner(shipped)) continue;
    const ShippedSystem system(shipped.name);
    for (const Preconditioner each :
         {Preconditioner::none, Preconditioner::jacobi, Preconditioner::chebyshev(1),
          Preconditioner::chebyshev(4), Preconditioner::block_jacobi(1),
          Preconditioner::block_jacobi(5)}) {
      const bool is_diagonal = each == Preconditioner::none || each == Preconditioner::jacobi;
      if (!is_diagonal && !takes_any(shipped)) continue;
      const Method method = with_preconditioner(shipped, each);
      SCOPED_TRACE(method.name);
      const ReferenceResult expected =
          reference_run(method, system.matrix.view(), system.b,
                        std::vector<double>(system.b.size(), 0), {{}, 1e-9, 5000});
      EXPECT_EQ(expected.outcome, Outcome::converged);
      for (const Execution execution : {Execution::fused, Execution::step_by_step}) {
        CpuBackend backend(2, 2, {});
        SolveOptions options;
        options.stop.tolerance = 1e-9;
        std::vector<double> x(system.b.size(), 0);
        const SolveResult result = solve_by_method<double>(
            backend, method, {}, system.matrix.view(), system.b, x, options, execution);
        EXPECT_EQ(result.outcome, Outcome::converged);
        EXPECT_NEAR(static_cast<double>(result.iterations),
                    static_cast<double>(expected.iterations),
                    2 + 0.02 * static_cast<double>(expected.iterations));
      }
      ++choices;
    }
  }
  EXPECT_GE(choices, 2 * 8 + 4 * 6);
}

TEST(WithPreconditioner, IsReadAsItIsWritten) {
  for (const Preconditioner each :
       {Preconditioner::none, Preconditioner::jacobi, Preconditioner::chebyshev(1),
        Preconditioner::chebyshev(16), Preconditioner::block_jacobi(1),
        Preconditioner::block_jacobi(8)}) {
    EXPECT_EQ(parse_preconditioner(to_string(each)), each);
  }
  for (const char* text : {"", "ilu", "chebyshev", "chebyshev0", "chebyshev17", "chebyshev3x",
                           "block-jacobi", "block-jacobi0", "block-jacobi9", "block-jacobi-3"}) {
    EXPECT_THROW(parse_preconditioner(text), Error) << text;
  }
}

TEST(WithPreconditioner, BlocksAreAKernelWithTheSumBehindIt) {
  const Solver made =
      lowered(with_preconditioner(shipped_method("cg"), Preconditioner::block_jacobi(3)));
  EXPECT_EQ(made.name(), "cg-block-jacobi3");
  EXPECT_TRUE(made.slots.diagonals.empty());
  ASSERT_EQ(made.slots.inverse_blocks.size(), 1u);
  EXPECT_EQ(made.slots.inverse_blocks[0].vectors,
            (std::vector<std::string>{"M[0]", "M[1]", "M[2]"}));
  const std::string text = ScheduleText(made.schedule).of(made.schedule.iteration);
  EXPECT_NE(text.find("product z = (M[0]..)*r, rho_new = dot\n"), std::string::npos) << text;
  // The product and p.Ap; x, r and r.r; three values of blocks, r and z; z and p.
  EXPECT_EQ(moved(made.schedule), (std::vector<double>{1, 6, 5, 3}));
}

TEST(WithPreconditioner, BlocksMayStandAnywhereInAPass) {
  const Method method =
      read_method(R"json({"schema": 1, "name": "once", "operators": {"A": "matrix",
    "M": {"of": "inverse block diagonal", "block": 2}, "D": "diagonal"},
    "vectors": ["x", "b", "q", "V[2]"], "scalars": ["s"],
    "roles": {"solution": "x", "right_hand_side": "b", "preconditioner": "M"},
    "setup": [{"vector": ["V[0] = M*b", "V[1] = M*(b - 2*V[0])", "x = M*x", "s = dot(x, b)",
                          "x = x + s*(M*(D*(M*V[1]))) - sum(i in 0..1, M*V[i])"]}],
    "iteration": [{"apply": "q = A*b"}, {"apply": "x = M*q", "dots": ["s = dot(x, q)"]}]
})json",
                  "once.json");
  const CsrMatrix<double> matrix = dominant_matrix(31);
  std::vector<double> b(31);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = 0.3 + static_cast<double>(i % 7);
  const std::vector<double> start(b.rbegin(), b.rend());
  for (const std::int64_t iterations : {0, 1}) {
    const std::vector<double> expected =
        reference_run(method, matrix.view(), b, start, {{}, 1e-300, iterations}).x;
    for (const Execution execution : {Execution::fused, Execution::step_by_step}) {
      CpuBackend backend(1, 2, {});
      const Solver made = lower(method, {}, execution);
      const auto prepared = backend.prepare(made.schedule, matrix.view(), Layout{});
      SolveResult result;
      set_inverse_blocks(*prepared, made.slots, matrix.view(), result);
      set_diagonals(*prepared, made.slots, diagonal(matrix.view()), result);
      prepared->set_vector("x", start);
      prepared->set_vector("b", b);
      prepared->run_setup();
      prepared->run(iterations);
      std::vector<double> x(b.size(), 12345);
      prepared->get_vector("x", x);
      for (std::size_t i = 0; i < x.size(); ++i) {
        EXPECT_NEAR(x[i], expected[i], 1e-10 * (1 + std::abs(expected[i]))) << i;
      }
    }
  }
}

TEST(WithPreconditioner, RefusesBlocksWhereTheyWouldHaveToBeMore) {
  const auto refusal = [](const char* name) {
    return refusal_of(
        [&] { with_preconditioner(shipped_method(name), Preconditioner::block_jacobi(2)); });
  };
  EXPECT_EQ(refusal("bicg"),
            "schedule 'bicg' multiplies by the transpose, and so would its preconditioner have to "
            "be; block Jacobi cannot be its preconditioner");
  EXPECT_EQ(refusal("chebyshev"),
            "schedule 'chebyshev' has a parameter that is a function of its preconditioner, "
            "'high'; block Jacobi cannot be its preconditioner");
  EXPECT_EQ(refusal("cupy-cg"),
            "schedule 'cupy-cg': CuPy 14 has no such preconditioner; its calls are not known");
}

/// M v by the steps that CG's preconditioner is written out as, by Chebyshev's iteration from zero.
TEST(WithPreconditioner, APolynomialIsChebyshevsIterationFromZero) {
  const CsrMatrix<double> matrix = laplacian(5, 9, 7);
  const auto n = static_cast<std::size_t>(matrix.rows);
  std::vector<double> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = 0.3 + static_cast<double>(i % 7);
  Method method = read_method(R"json({"schema": 1, "name": "once", "operators": {"A": "matrix",
    "M": "identity"}, "vectors": ["x", "b", "q"], "roles": {"solution": "x", "right_hand_side": "b",
    "preconditioner": "M"}, "setup": [{"vector": ["x = 2*(M*b) + M*(b - b)"]
}],
    "iteration": [{"apply": "q = A*b"}]
})json",
                              "once.json");
  constexpr int degree = 5;
  method = with_preconditioner(method, Preconditioner::chebyshev(degree));
  const std::vector<double> ours =
      reference_run(method, matrix.view(), v, std::vector<double>(n, 0), {{}, 1e-300, 1}).x;

  // Saad 2003, Algorithm 12.1, with the bounds 2 and 2/30; the diagonal is 4.
  const auto multiplied = [&](const std::vector<double>& of) {
    std::vector<double> result(n, 0);
    for (std::size_t row = 0; row < n; ++row) {
      for (std::int64_t k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
        result[row] += matrix.values[k] * of[static_cast<std::size_t>(matrix.column_indices[k])];
      }
    }
    return result;
  };
  const double theta = (2 + 2.0 / 30) / 2;
  const double delta = (2 - 2.0 / 30) / 2;
  double rho = delta / theta;
  std::vector<double> x(n, 0);
  std::vector<double> d(n);
  for (std::size_t i = 0; i < n; ++i) d[i] = v[i] / 4 / theta;
  for (int product = 0; product <= degree; ++product) {
    for (std::size_t i = 0; i < n; ++i) x[i] += d[i];
    const std::vector<double> ax = multiplied(x);
    const double next = 1 / (2 * theta / delta - rho);
    for (std::size_t i = 0; i < n; ++i) {
      d[i] = next * rho * d[i] + 2 * next / delta * (v[i] - ax[i]) / 4;
    }
    rho = next;
  }
  for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(ours[i], 2 * x[i], 1e-12 * std::abs(x[i])) << i;
}

TEST(WithPreconditioner, APolynomialSavesIterationsByProducts) {
  const CsrMatrix<double> matrix = laplacian(5, 60, 60);
  const auto iterations = [&](const Method& method) {
    CpuBackend backend(1, 1, {});
    std::vector<double> x(3600, 0);
    const SolveResult result = solve_by_method<double>(backend, method, {}, matrix.view(),
                                                       std::vector<double>(3600, 1), x, {});
    EXPECT_EQ(result.outcome, Outcome::converged);
    return result.iterations;
  };
  const std::int64_t jacobi = iterations(shipped_method("cg"));
  const auto by = [&](int degree) {
    return iterations(with_preconditioner(shipped_method("cg"), Preconditioner::chebyshev(degree)));
  };
  EXPECT_LT(by(2), 0.6 * static_cast<double>(jacobi));
  EXPECT_LT(by(6), 0.3 * static_cast<double>(jacobi));
}

TEST(WithPreconditioner, APolynomialIsRefusedWhereItWouldBeAnother) {
  const auto why = [](const char* name) {
    return refusal_of(
        [&] { with_preconditioner(shipped_method(name), Preconditioner::chebyshev(3)); });
  };
  EXPECT_NE(why("bicg").find("multiplies by the transpose"), std::string::npos) << why("bicg");
  EXPECT_NE(why("cupy-cg").find("CuPy 14 has no such preconditioner"), std::string::npos);
  EXPECT_NE(why("chebyshev").find("has a parameter that is a function of its preconditioner"),
            std::string::npos)
      << why("chebyshev");
}

/// A method of copies, some of which have to stay: x after two iterations, by the engine.
std::vector<double> after_copies(const Method& method, const CsrMatrix<double>& matrix,
                                 const std::vector<double>& b) {
  CpuBackend backend(1, 1, {});
  SolveOptions options;
  options.stop = {StopRule::Kind::fixed_iterations, 0, 2};
  std::vector<double> x(b.size(), 0);
  solve_by_method<double>(backend, method, {}, matrix.view(), b, x, options);
  return x;
}

TEST(RemoveCopies, LeavesWhatIsReadAfterTheOriginalHasChanged) {
  const Method method = read_method(
      R"json({"schema": 1, "name": "copies", "operators": {"A": "matrix"},
          "vectors": ["x", "b", "r", "old", "now", "rare", "q"], "scalars": ["k", "odd"],
          "roles": {"solution": "x", "right_hand_side": "b"},
          "setup": [{"vector": ["r = 1*b", "old = r", "rare = r"]}, {"scalar": ["k = 0"]}],
          "iteration": [
            {"vector": ["now = r"]},
            {"apply": "q = A*now"},
            {"scalar": ["k = k + 1", "odd = k == 1"]},
            {"vector": ["rare = now"], "when": "odd"},
            {"vector": ["r = r - 0.1*q", "x = x + old + 2*now + 3*rare"]},
            {"vector": ["old = r"], "when": "odd"}
          ]})json",
      "test");
  check_method(method);
  const Solver made = lowered(method);
  EXPECT_TRUE(has_vector(made.schedule, "old"));
  EXPECT_TRUE(has_vector(made.schedule, "rare"));
  const CsrMatrix<double> matrix = dominant_matrix(40);
  std::vector<double> b;
  std::mt19937 random(3);
  for (std::int64_t i = 0; i < matrix.rows; ++i) b.push_back(random_value(random));
  const ReferenceResult expected =
      reference_run(method, matrix.view(), b, std::vector<double>(b.size(), 0), {{}, -1, 2});
  const std::vector<double> x = after_copies(method, matrix, b);
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(x[i], expected.x[i], 1e-12 * (1 + std::abs(expected.x[i])));
  }
}

}  // namespace
}  // namespace sparsecast
