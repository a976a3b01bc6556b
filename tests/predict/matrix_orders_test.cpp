#include "predict/matrix_orders.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/matrix/cuthill_mckee.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/matrix/metis_order.hpp"
#include "model/profile/profile_file.hpp"
#include "predict/advice/advice.hpp"
#include "predict/predict_matrix.hpp"
#include "predict/prediction.hpp"
#include "predict/traffic_profile.hpp"

namespace sparsecast {
namespace {

/// A grid that nobody can see in its numbers.
const CsrMatrix<double>& mixed_grid() {
  static const CsrMatrix<double> matrix = [] {
    const CsrMatrix<double> grid = laplacian(7, 16, 16, 16);
    return renumber<double>(grid, random_permutation(grid.rows, 3));
  }();
  return matrix;
}

MatrixOrders orders_by(Renumbering how) {
  return {mixed_grid(), compute_features<double>(mixed_grid()), how};
}

/// f32 by the paper's model, for the given devices.
std::vector<double> times(MatrixOrders& orders, std::vector<int> devices) {
  PredictionRequest request;
  request.precision = Precision::f32;
  request.layouts = {block_layout(1), block_layout(4)};
  request.devices = std::move(devices);
  std::vector<double> seconds;
  for (const Prediction& each : predict_matrix(orders, read_profile("gtx280"), request)) {
    seconds.push_back(each.seconds_per_iteration);
  }
  return seconds;
}

std::vector<double> times_of(const CsrMatrix<double>& matrix, std::vector<int> devices) {
  MatrixOrders as_given(matrix, compute_features<double>(matrix));
  return times(as_given, std::move(devices));
}

TEST(MatrixOrders, AreTheMatrixItselfUnlessItIsRenumbered) {
  MatrixOrders orders = orders_by(Renumbering::none);
  EXPECT_EQ(orders.on(3).matrix().column_indices.data(), mixed_grid().column_indices.data());
  EXPECT_EQ(orders.renumbering(3), Renumbering::none);
}

TEST(MatrixOrders, OfMetisAreForANumberOfDevicesAndOnOneAsGiven) {
  MatrixOrders orders = orders_by(Renumbering::metis);
  EXPECT_EQ(orders.renumbering(1), Renumbering::none);
  EXPECT_EQ(orders.on(1).matrix().column_indices.data(), mixed_grid().column_indices.data());
  for (const int devices : {2, 3}) {
    const CsrMatrix<double> expected =
        renumber<double>(mixed_grid(), metis_order(mixed_grid(), devices));
    EXPECT_EQ(orders.renumbering(devices), Renumbering::metis);
    EXPECT_TRUE(
        std::ranges::equal(orders.on(devices).matrix().column_indices, expected.column_indices));
  }
}

TEST(MatrixOrders, OfMetisForManyDevicesAreNested) {
  MatrixOrders orders = orders_by(Renumbering::metis);
  for (const int devices : {256, 128}) {
    const CsrMatrix<double> expected =
        renumber<double>(mixed_grid(), make_permutation(Renumbering::metis, mixed_grid(), devices));
    EXPECT_TRUE(
        std::ranges::equal(orders.on(devices).matrix().column_indices, expected.column_indices));
  }
}

TEST(MatrixOrders, OthersAreOneForAllAndMadeOnce) {
  MatrixOrders orders = orders_by(Renumbering::rcm);
  OrderedMatrix& one = orders.on(1);
  EXPECT_EQ(&orders.on(4), &one);
  EXPECT_LT(one.features().bandwidth, compute_features<double>(mixed_grid()).bandwidth);
  EXPECT_EQ(one.access().pattern(Layout{}, Precision::f64).bandwidth,
            static_cast<double>(one.features().bandwidth));
}

TEST(MatrixOrders, ArePricedLikeMatricesThatWereRenumberedBefore) {
  MatrixOrders rcm = orders_by(Renumbering::rcm);
  const CsrMatrix<double> narrow =
      renumber<double>(mixed_grid(), reverse_cuthill_mckee(mixed_grid()));
  EXPECT_EQ(times(rcm, {1, 2}), times_of(narrow, {1, 2}));

  MatrixOrders metis = orders_by(Renumbering::metis);
  EXPECT_EQ(times(metis, {1}), times_of(mixed_grid(), {1}));
  EXPECT_EQ(times(metis, {2}),
            times_of(renumber<double>(mixed_grid(), metis_order(mixed_grid(), 2)), {2}));
}

TEST(MatrixOrders, ArePricedByTheTrafficModelToo) {
  MatrixOrders orders = orders_by(Renumbering::rcm);
  const DeviceProfile profile = testing::made_up_traffic_profile();
  const auto found = predict_matrix(orders, profile, {});
  const CsrMatrix<double> narrow =
      renumber<double>(mixed_grid(), reverse_cuthill_mckee(mixed_grid()));
  const auto expected = predict_matrix(narrow, compute_features<double>(narrow), profile, {});
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    EXPECT_EQ(found[k].seconds_per_iteration, expected[k].seconds_per_iteration);
    EXPECT_EQ(found[k].renumbering, Renumbering::rcm);
    EXPECT_EQ(expected[k].renumbering, Renumbering::none);
  }
}

TEST(MatrixOrders, AreAdvisedOnWithTheOrderOfEachNumberOfDevices) {
  MatrixOrders orders = orders_by(Renumbering::metis);
  AdviceRequest request;
  request.precision = Precision::f32;
  request.max_devices = 2;
  const std::vector<DeviceProfile> profiles{read_profile("gtx280")};
  const Advice advice = advise(orders, profiles, request);
  ASSERT_EQ(advice.choices.size(), 2U);
  EXPECT_EQ(advice.choices[0].prediction.renumbering, Renumbering::none);
  EXPECT_EQ(advice.choices[1].prediction.renumbering, Renumbering::metis);
}

}  // namespace
}  // namespace sparsecast
