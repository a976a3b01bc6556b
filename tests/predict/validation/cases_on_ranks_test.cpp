#include "predict/validation/cases_on_ranks.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/cpu/cpu_backend.hpp"
#include "core/engine/ranks/thread_ranks.hpp"
#include "core/formats/registry.hpp"
#include "core/matrix/generate/generators.hpp"
#include "predict/validation/validation_run.hpp"

namespace sparsecast {
namespace {

ValidationInput input_of(const char* name, const CsrMatrix<double>& matrix) {
  ValidationSource source;
  source.name = name;
  source.generated = true;
  source.load = [name, shared = std::make_shared<CsrMatrix<double>>(matrix)](int) {
    return ValidationMatrix{name, *shared, false};
  };
  return std::move(prepare_inputs(source, 1).front());
}

ValidationRequest request_of(const std::vector<std::string>& layouts) {
  ValidationRequest request;
  request.solvers = validated_solvers({"algorithm1", "fused"}, {}, false);
  for (const std::string& name : layouts) request.layouts.push_back(parse_layout(name));
  request.devices = {3};
  request.precisions = {Precision::f32, Precision::f64};
  request.seconds_per_case = 0.002;
  return request;
}

/// What rank 0 finds of these matrices, and what it leaves out, while the others serve.
struct Found {
  std::vector<ValidationRow> rows;
  std::vector<std::string> skipped;
};

Found validate_on_ranks(const std::vector<ValidationInput>& inputs,
                        const ValidationRequest& request) {
  Found found;
  ThreadRanks::run(request.devices.front(), [&](Communicator& ranks) {
    const auto open = [](const RankPart& part, LaunchMode) -> std::unique_ptr<Backend> {
      return std::make_unique<CpuBackend>(part, 1);
    };
    CasesOnRanks cases(ranks, request, open);
    if (ranks.rank() != 0) {
      cases.serve();
      return;
    }
    ValidationMonitor monitor;
    monitor.on_ranks = &cases;
    monitor.proceed = [](const std::string&, double) { return true; };
    monitor.done = [&](ValidationRow row) { found.rows.push_back(std::move(row)); };
    monitor.skipped = [&](const std::string& what) { found.skipped.push_back(what); };
    for (const ValidationInput& input : inputs) {
      cases.keep_waiting();
      validate_matrix(input, request, monitor);
    }
    cases.finish();
  });
  return found;
}

TEST(CasesOnRanks, AreMeasuredTogetherOneMatrixAfterTheOther) {
  std::vector<ValidationInput> inputs;
  inputs.push_back(input_of("grid", laplacian(5, 20, 20)));
  inputs.push_back(input_of("cube", laplacian(7, 8, 8, 8)));

  const Found found = validate_on_ranks(inputs, request_of({"csr", "bcsr2"}));

  EXPECT_TRUE(found.skipped.empty()) << found.skipped.front();
  ASSERT_EQ(found.rows.size(), 2u * 2 * 2 * 2);  // matrices, precisions, layouts, solvers
  for (const ValidationRow& row : found.rows) {
    SCOPED_TRACE(row.matrix + ' ' + to_string(row.layout));
    EXPECT_GT(row.measured_seconds, 0);
    ASSERT_EQ(row.segments.size(), 3u);
    double unknowns = 0;
    double elements = 0;
    for (const SegmentShape& segment : row.segments) {
      unknowns += segment.unknowns;
      elements += segment.elements;
    }
    EXPECT_EQ(unknowns, static_cast<double>(row.unknowns));
    EXPECT_EQ(row.segments[0].total_unknowns, static_cast<double>(row.unknowns));
    EXPECT_EQ(elements, static_cast<double>(row.block_elements));
  }
}

TEST(CasesOnRanks, GoOnBehindOneThatCannotBeMeasured) {
  std::vector<ValidationInput> inputs;
  inputs.push_back(input_of("scattered", power_law(3000, 4, 2.2, 1)));

  const Found found = validate_on_ranks(inputs, request_of({"csr", "dia", "bcsr2"}));

  EXPECT_EQ(found.rows.size(), 2u * 2 * 2);
  ASSERT_EQ(found.skipped.size(), 2u * 2);
  EXPECT_NE(found.skipped[0].find("layout dia"), std::string::npos) << found.skipped[0];
}

}  // namespace
}  // namespace sparsecast
