#include "predict/validation/validation_supply.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/matrix/metis_order.hpp"

namespace sparsecast {
namespace {

ValidationSource source_of(const std::string& name, std::function<CsrMatrix<double>()> make) {
  ValidationSource source;
  source.name = name;
  source.nonzeros = 2000;
  source.load = [name, make = std::move(make)](int) {
    return ValidationMatrix{name, make(), false};
  };
  return source;
}

CsrMatrix<double> indefinite() {
  CsrMatrix<double> matrix = laplacian(5, 20, 20);
  for (double& value : matrix.values) {
    if (value < 0) value *= 100;
  }
  return matrix;
}

TEST(ThreadedValidationInputs, HaveSurrogateValuesForAnIndefiniteMatrix) {
  const auto inputs = prepare_inputs(source_of("a", indefinite), 1);

  ASSERT_EQ(inputs.size(), 1u);
  EXPECT_TRUE(inputs[0].surrogate_values);
  EXPECT_EQ(inputs[0].f64.nonzeros(), indefinite().nonzeros());
  EXPECT_GT(*std::ranges::max_element(inputs[0].f64.values), 0);
}

TEST(ThreadedValidationInputs, KeepTheValuesThatCanBeSolved) {
  const auto inputs = prepare_inputs(source_of("a", [] { return laplacian(5, 9, 8); }), 1);

  EXPECT_FALSE(inputs.at(0).surrogate_values);
  EXPECT_EQ(inputs[0].f64.values, laplacian(5, 9, 8).values);
}

TEST(ThreadedValidationInputs, KeepThePatternKeyWhenUnknownsAreRenumbered) {
  ValidationSource source = source_of("a", [] { return laplacian(5, 20, 20); });
  source.renumberings = {Renumbering::none, Renumbering::random, Renumbering::rcm};

  const auto inputs = prepare_inputs(source, 1);

  ASSERT_EQ(inputs.size(), 3u);
  for (const ValidationInput& input : inputs) EXPECT_EQ(input.pattern, inputs[0].pattern);
  EXPECT_EQ(inputs[0].f64.column_indices, laplacian(5, 20, 20).column_indices);
  EXPECT_LT(inputs[0].features.block(2).blocks, inputs[1].features.block(2).blocks);
  EXPECT_LT(inputs[2].features.bandwidth, inputs[1].features.bandwidth);
}

TEST(ThreadedValidationInputs, AreOrderedByMetisForEachNumberOfDevices) {
  ValidationSource source = source_of("a", [] { return laplacian(5, 20, 20); });
  source.renumberings = {Renumbering::metis, Renumbering::none};
  source.metis_devices = {2, 3};

  const auto inputs = prepare_inputs(source, 1);

  ASSERT_EQ(inputs.size(), 3u);
  const CsrMatrix<double> matrix = laplacian(5, 20, 20);
  for (const std::size_t i : {0u, 1u}) {
    EXPECT_EQ(inputs[i].renumbering, Renumbering::metis);
    EXPECT_EQ(inputs[i].devices, static_cast<int>(i) + 2);
    EXPECT_EQ(inputs[i].f64.column_indices,
              renumber<double>(matrix, metis_order(matrix, inputs[i].devices)).column_indices);
  }
  EXPECT_EQ(inputs[2].devices, 0);
  EXPECT_EQ(inputs[2].f64.column_indices, matrix.column_indices);
}

TEST(ThreadedValidationInputs, ShareThePatternInBothPrecisions) {
  const auto inputs = prepare_inputs(source_of("a", [] { return laplacian(7, 5, 6, 4); }), 1);

  const CsrView<float> single = inputs.at(0).f32();

  EXPECT_EQ(single.column_indices.data(), inputs[0].f64.column_indices.data());
  EXPECT_EQ(single.values.size(), inputs[0].f64.values.size());
  EXPECT_EQ(single.values[3], static_cast<float>(inputs[0].f64.values[3]));
}

TEST(ThreadedValidationInputs, RefuseAMatrixThatIsNotSquare) {
  EXPECT_THROW(prepare_inputs(source_of("a",
                                        [] {
                                          CsrMatrix<double> matrix = laplacian(5, 4, 4);
                                          matrix.columns += 1;
                                          return matrix;
                                        }),
                              1),
               Error);
}

TEST(ThreadedValidationSupply, HandsOutEverySourceOnce) {
  for (const int workers : {0, 3}) {
    SCOPED_TRACE(workers);
    std::vector<ValidationSource> sources;
    for (int i = 0; i < 12; ++i) {
      sources.push_back(source_of("m" + std::to_string(i), [i] { return laplacian(5, 4 + i, 5); }));
    }
    ValidationSupply supply(sources, workers, 3 * 40 * 2000);
    std::set<std::string> names;
    while (const auto result = supply.next()) {
      EXPECT_EQ(result->failure, "");
      ASSERT_EQ(result->inputs.size(), 1u);
      EXPECT_EQ(result->inputs[0].matrix, "m" + std::to_string(result->source));
      EXPECT_TRUE(names.insert(result->inputs[0].matrix).second);
    }
    EXPECT_EQ(names.size(), 12u);
  }
}

TEST(ThreadedValidationSupply, SaysWhyASourceFailed) {
  for (const int workers : {0, 1}) {
    SCOPED_TRACE(workers);
    std::vector<ValidationSource> sources{
        source_of("a", []() -> CsrMatrix<double> { throw Error("a is damaged"); }),
        source_of("b", [] { return laplacian(5, 4, 5); })};
    ValidationSupply supply(sources, workers, 1);  // memory for one at a time

    EXPECT_EQ(supply.next()->failure, "a is damaged");
    EXPECT_EQ(supply.next()->failure, "");
    EXPECT_FALSE(supply.next());
  }
}

TEST(ThreadedValidationSupply, MayBeLeftBeforeItsEnd) {
  std::vector<ValidationSource> sources(8, source_of("a", [] { return laplacian(5, 30, 30); }));
  ValidationSupply supply(sources, 2, 1e9);
  EXPECT_TRUE(supply.next());
}

TEST(PatternKey, DependsOnThePatternOnly) {
  CsrMatrix<double> matrix = laplacian(5, 7, 9);
  const std::string key = pattern_key(matrix);
  matrix.values[3] = 17;
  EXPECT_EQ(pattern_key(matrix), key);

  EXPECT_NE(pattern_key(laplacian(5, 9, 7)), key);
}

}  // namespace
}  // namespace sparsecast
