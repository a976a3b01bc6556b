#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/formats/dia/dia.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/refusal.hpp"
#include "predict/advice/advice.hpp"
#include "predict/advice/explanation.hpp"
#include "predict/map/performance_map.hpp"
#include "predict/predict_matrix.hpp"
#include "predict/predict_numbers.hpp"
#include "predict/traffic_profile.hpp"
#include "predict/unasked_layouts.hpp"

namespace sparsecast::testing {
namespace {

const Layout dia{"dia", 1, RowOrder::natural};

const CsrMatrix<double>& grid() {
  static const CsrMatrix<double> matrix = laplacian(7, 40, 40, 40);
  return matrix;
}

/// On so many diagonals that none is worth storing.
const CsrMatrix<double>& scattered() {
  static const CsrMatrix<double> matrix =
      random_matrix({.rows = 20'000, .mean_row_length = 8, .bandwidth_fraction = 1});
  return matrix;
}

std::vector<Prediction> predict(const CsrMatrix<double>& matrix, const DeviceProfile& profile,
                                const PredictionRequest& request = {}) {
  return predict_matrix(matrix.view(), compute_features(matrix.view()), profile, request);
}

std::vector<std::string> layouts_of(const std::vector<Prediction>& predictions) {
  std::vector<std::string> names;
  for (const Prediction& prediction : predictions) {
    names.push_back(to_string(prediction.layout) + ' ' + std::to_string(prediction.devices));
  }
  return names;
}

PredictionRequest of_graphs(std::vector<Layout> layouts = {}, std::vector<int> devices = {1}) {
  PredictionRequest request;
  request.layouts = std::move(layouts);
  request.devices = std::move(devices);
  request.launches = {LaunchMode::graph};
  return request;
}

TEST(DiaPrediction, IsMadeUnaskedWhereDiagonalsMayPayAndTheProfileKnowsThem) {
  const DeviceProfile profile = made_up_traffic_profile();
  using Names = std::vector<std::string>;
  EXPECT_EQ(layouts_of(predict(grid(), profile, of_graphs())), (Names{"csr 1", "bcsr3 1"}));
  EXPECT_EQ(layouts_of(predict(grid(), with_dia(profile), of_graphs())),
            (Names{"csr 1", "bcsr3 1", "dia 1"}));
  EXPECT_EQ(layouts_of(predict(scattered(), with_dia(profile), of_graphs())),
            (Names{"csr 1", "bcsr3 1"}));
}

TEST(DiaPrediction, IsOfTheOrderThatIsForecast) {
  const MatrixFeatures features = compute_features(grid().view());
  MatrixOrders orders(grid(), features, Renumbering::random);
  EXPECT_EQ(layouts_of(predict_matrix(orders, with_dia(made_up_traffic_profile()), of_graphs())),
            (std::vector<std::string>{"csr 1", "bcsr3 1"}));
}

TEST(DiaPrediction, OfAPersistentKernelThereIsNone) {
  PredictionRequest request;
  request.layouts = {dia};
  const auto predictions = predict(grid(), with_dia(made_up_traffic_profile()), request);
  ASSERT_EQ(predictions.size(), 1U);
  EXPECT_EQ(predictions.front().launch, LaunchMode::graph);
}

TEST(DiaPrediction, MovesValuesAndNoIndices) {
  const auto all = predict(grid(), with_dia(made_up_traffic_profile()), of_graphs());
  const Prediction& diagonals = all.back();
  ASSERT_EQ(diagonals.layout, dia);
  const Explanation explanation = explain(diagonals, all);
  const auto product = std::ranges::find(explanation.parts, "SpMVDot", &ExplainedPart::name);
  ASSERT_NE(product, explanation.parts.end());
  EXPECT_EQ(product->bytes.values, 8.0 * 7 * static_cast<double>(dia_stride(grid().rows)));
  EXPECT_EQ(product->bytes.indices, 0);
  EXPECT_EQ(product->bytes.row_pointers, 0);
  EXPECT_LT(diagonals.bytes_per_device, all.front().bytes_per_device);
  EXPECT_EQ(diagonals.traffic->segment.pattern.longest_row, 7);
  EXPECT_EQ(diagonals.traffic->segment.pattern.row_deviation, 0);
  EXPECT_GT(diagonals.traffic->segment.execution.product.loads.lines, 0);
  EXPECT_DOUBLE_EQ(diagonals.speedup.value(), 1);
}

TEST(DiaPrediction, DependsOnParametersOfItsOwn) {
  const DeviceProfile profile = with_dia(made_up_traffic_profile());
  const double before = predict(grid(), profile, of_graphs({dia})).at(0).seconds_per_iteration;
  DeviceProfile of_csr = profile;
  of_csr.traffic->parameters.products.at("csr").pass_seconds *= 100;
  // The group of products of CSR, which a residual is common to.
  Residual residual;
  const auto traits = static_cast<std::size_t>(ProductTrait::count);
  residual.mean.assign(traits, 0);
  residual.range.assign(traits, 1e6);
  residual.points = {{Traits(traits), 0.2}};
  of_csr.traffic->parameters.residuals["products"] = residual;
  EXPECT_EQ(predict(grid(), of_csr, of_graphs({dia})).at(0).seconds_per_iteration, before);
  DeviceProfile of_dia = profile;
  of_dia.traffic->parameters.products.at("dia-few-rows").pass_seconds *= 100;
  EXPECT_GT(predict(grid(), of_dia, of_graphs({dia})).at(0).seconds_per_iteration, before);
  of_dia = profile;
  of_dia.traffic->parameters.residuals["products-dia"] = residual;
  EXPECT_GT(predict(grid(), of_dia, of_graphs({dia})).at(0).seconds_per_iteration, before);
}

TEST(DiaPrediction, IsOfSeveralGpusToo) {
  const DeviceProfile profile = with_link(with_dia(made_up_traffic_profile()));
  const auto all = predict(grid(), profile, of_graphs({}, {1, 2}));
  EXPECT_EQ(layouts_of(all),
            (std::vector<std::string>{"csr 1", "csr 2", "bcsr3 1", "bcsr3 2", "dia 1", "dia 2"}));
  const Prediction& two = all.back();
  ASSERT_EQ(two.traffic->segments->size(), 2U);
  for (const SegmentWork& one : *two.traffic->segments) {
    EXPECT_EQ(one.shape.unknowns, 32'000);
    // The first and the last plane look up nothing beyond the matrix.
    EXPECT_EQ(one.pattern.longest_row, 7);
    EXPECT_EQ(one.shape.elements, 7.0 * 32'000);
    EXPECT_EQ(one.shape.index_bytes, 0);
    EXPECT_EQ(one.received, 1600);
    EXPECT_NE(one.geometry, ProductGeometry{});
  }
  const std::vector<DeviceProfile> profiles{profile};
  const Advice advice =
      advise(grid().view(), compute_features(grid().view()), profiles, {.layouts = {dia}});
  EXPECT_EQ(advice.choices.at(advice.recommended).prediction.layout, dia);
}

TEST(DiaPrediction, IsOfACpuToo) {
  const DeviceProfile profile = with_dia(made_up_cpu_profile(2));
  const auto all = predict(grid(), profile);
  EXPECT_EQ(layouts_of(all), (std::vector<std::string>{"csr 1", "dia 1"}));
  EXPECT_EQ(all[1].traffic->segment.pattern.longest_row, 7);
  EXPECT_EQ(layouts_of(predict(scattered(), profile)), std::vector<std::string>{"csr 1"});
  // Rows of one length are none of those that end unforeseen.
  DeviceProfile careful = profile;
  careful.traffic->parameters.cpu->uneven_row_seconds *= 1000;
  PredictionRequest request;
  request.layouts = {dia};
  EXPECT_EQ(predict(grid(), careful, request).at(0).seconds_per_iteration,
            all[1].seconds_per_iteration);
}

/// By equations 3 to 11, with links.
DeviceProfile profile_of_curves() {
  DeviceProfile profile;
  profile.name = "curves";
  const auto curve = [](double nu) {
    return KernelCurve{{16, 1.4427, nu}, {16, 1.4427, 1.25 * nu}, {}};
  };
  PrecisionProfile& precision = profile.precisions[Precision::f64];
  for (const char* key : {"CG2", "CG3", "CG4", "CG5", "Red", "SpMV/csr", "SpMV/dia"}) {
    precision.curves[key] = curve(90);
  }
  Link link;
  link.exchange = curve(20);
  profile.links[2] = link;
  return profile;
}

TEST(DiaPrediction, IsMadeByCurvesToo) {
  PredictionRequest request;
  request.devices = {1, 2};
  const auto all = predict(grid(), profile_of_curves(), request);
  EXPECT_EQ(layouts_of(all), (std::vector<std::string>{"csr 1", "csr 2", "dia 1", "dia 2"}));
  const auto rows = static_cast<double>(grid().rows);
  EXPECT_NEAR(all[3].raw_gflops * all[3].seconds_per_iteration * 1e9, 2 * 7 * rows + 15 * rows, 1);
  EXPECT_LT(all[2].bytes_per_device, all[0].bytes_per_device);
  EXPECT_EQ(layouts_of(predict(scattered(), profile_of_curves())),
            std::vector<std::string>{"csr 1"});
}

TEST(DiaPrediction, IsRefusedByNameWhereTheMatrixIsNotStoredSo) {
  const DeviceProfile of_gpu = with_link(with_dia(made_up_traffic_profile()));
  for (const DeviceProfile& profile : {of_gpu, profile_of_curves()}) {
    for (const int devices : {1, 2}) {
      PredictionRequest request;
      request.layouts = {dia};
      request.devices = {devices};
      const std::string message = refusal_of([&] { predict(scattered(), profile, request); });
      EXPECT_TRUE(message.starts_with("layout dia: the nonzeros lie on ")) << message;
      EXPECT_TRUE(message.ends_with("use csr")) << message;
    }
  }
}

TEST(DiaPrediction, IsRefusedByNameWhereTheProfileDoesNotKnowIt) {
  EXPECT_EQ(refusal_of([&] {
              predict(grid(), made_up_traffic_profile(), of_graphs({{}, dia}));
            }),
            "layout dia: profile 'made-up' has no parameters for it in f64, or there are no such "
            "kernels; calibrate the device with this version, or leave it out");
  DeviceProfile profile = profile_of_curves();
  profile.precisions.at(Precision::f64).curves.erase("SpMV/dia");
  PredictionRequest request;
  request.layouts = {dia};
  const std::string message = refusal_of([&] { predict(grid(), profile, request); });
  EXPECT_TRUE(message.starts_with("profile 'curves' has no curve 'SpMV/dia' in f64")) << message;
}

TEST(DiaPrediction, NeedsTheMatrix) {
  const std::string refusal =
      "layout dia: unknowns and elements alone do not say how much it stores; give the matrix "
      "itself";
  const DeviceProfile profile = with_dia(made_up_traffic_profile());
  EXPECT_EQ(refusal_of([&] { predict_numbers(1e5, 7e5, dia, profile, {}); }), refusal);
  EXPECT_EQ(refusal_of([&] { check_numbers(1e5, 7e5, dia, profile); }), refusal);
  MapRequest map;
  map.quantity = MapQuantity::raw;
  map.layout = dia;
  EXPECT_EQ(refusal_of([&] { map_value(profile, map, 1e5, 7e5); }), refusal);
}

TEST(UnaskedLayouts, AreBlocksUpToAHopelessFillAndWhatMayPay) {
  const MatrixFeatures of_grid = compute_features(grid().view());
  const MatrixFeatures of_scattered = compute_features(scattered().view());
  const auto asked = [](const MatrixFeatures& features, const Layout& layout) {
    return is_forecast_unasked(features.numbers(layout.format), layout);
  };
  for (const int block : block_sizes) {
    EXPECT_TRUE(asked(of_grid, block_layout(block))) << block;
    EXPECT_EQ(asked(of_scattered, block_layout(block)), block <= 4) << block;
    Layout sorted = block_layout(block);
    sorted.row_order = RowOrder::sorted;
    EXPECT_FALSE(asked(of_scattered, sorted)) << block;
  }
  EXPECT_TRUE(asked(of_grid, dia));
  EXPECT_FALSE(asked(of_scattered, dia));
  MatrixFeatures of_file = of_grid;  // of a version that did not count diagonals
  of_file.format_counts.clear();
  EXPECT_FALSE(asked(of_file, dia));
}

TEST(UnaskedLayouts, AreThoseWhoseProductsTheProfileKnows) {
  const DeviceProfile gpu = made_up_traffic_profile();
  EXPECT_TRUE(knows_products(gpu, Precision::f64, block_layout(3)));
  EXPECT_FALSE(knows_products(gpu, Precision::f64, block_layout(4)));
  EXPECT_FALSE(knows_products(gpu, Precision::f64, dia));
  EXPECT_TRUE(knows_products(with_dia(gpu), Precision::f32, dia));
  EXPECT_FALSE(knows_products(made_up_cpu_profile(2), Precision::f64, dia));
  EXPECT_TRUE(knows_products(with_dia(made_up_cpu_profile(2)), Precision::f64, dia));
  EXPECT_TRUE(knows_products(profile_of_curves(), Precision::f64, dia));
  EXPECT_FALSE(knows_products(profile_of_curves(), Precision::f64, block_layout(2)));
}

}  // namespace
}  // namespace sparsecast::testing
