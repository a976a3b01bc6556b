#include "core/matrix/nested_parts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/analysis/exchange_plan.hpp"
#include "core/base/error.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/matrix/metis_order.hpp"
#include "core/matrix/renumbering.hpp"
#include "core/random_csr.hpp"
#include "core/refusal.hpp"

namespace sparsecast {
namespace {

std::int64_t halo_values(const CsrMatrix<double>& matrix, const Permutation& order, int devices) {
  const CsrMatrix<double> ordered = renumber<double>(matrix, order);
  const auto segments = partition(ordered.view(), Layout{}, devices, 32);
  std::int64_t values = 0;
  for (const HaloCounts& one : count_halos(ordered.view(), segments, Layout{})) {
    values += one.exchanged().received;
  }
  return values;
}

TEST(NestedParts, HoldEachRowOnceWhateverWasAskedForBefore) {
  const CsrMatrix<double> matrix = laplacian(7, 13, 12, 11);
  NestedParts fewer_first(matrix);
  const Permutation of_eight = fewer_first.order(8);
  const Permutation of_128 = fewer_first.order(128);
  NestedParts more_first(matrix);
  EXPECT_EQ(more_first.order(128), of_128);
  EXPECT_EQ(more_first.order(8), of_eight);
  for (const Permutation& order : {of_eight, of_128}) {
    Permutation sorted = order;
    std::ranges::sort(sorted);
    EXPECT_EQ(sorted, identity_permutation(matrix.rows));
  }
}

TEST(NestedParts, OfFewerAreEachSeveralOfMore) {
  const CsrMatrix<double> matrix = laplacian(7, 16, 16, 16);
  NestedParts parts(matrix);
  const Permutation few = parts.order(4);
  const Permutation many = parts.order(64);
  // All rows have nearly the same weight, so that parts of rows are of nearly the same size.
  const auto part_of = [&](const Permutation& order) {
    std::vector<std::int64_t> part(order.size());
    for (std::size_t place = 0; place < order.size(); ++place) {
      part[order[place]] = static_cast<std::int64_t>(place) * 4 / std::ssize(order);
    }
    return part;
  };
  const auto by_few = part_of(few);
  const auto by_many = part_of(many);
  std::int64_t elsewhere = 0;
  for (std::size_t row = 0; row < by_few.size(); ++row) elsewhere += by_few[row] != by_many[row];
  EXPECT_LT(elsewhere, 40);
}

/// Sixteen parts of a cube, cut at once, are rounder than halves of halves.
TEST(NestedParts, ExchangeLittleMoreThanThoseThatAreCutAtOnce) {
  for (const int points : {7, 27}) {
    const CsrMatrix<double> matrix = laplacian(points, 32, 32, 32);
    NestedParts parts(matrix);
    for (int devices = 2; devices <= 64; devices *= 2) {
      EXPECT_LT(
          static_cast<double>(halo_values(matrix, parts.order(devices), devices)),
          1.25 * static_cast<double>(halo_values(matrix, metis_order(matrix, devices), devices)))
          << points << " points, " << devices << " devices";
    }
  }
}

TEST(NestedParts, TakeUnconnectedRowsAndAnUnsymmetricPattern) {
  const CsrMatrix<double> matrix = random_csr<double>(300, 300, 1, 33);
  NestedParts parts(matrix);
  for (const int count : {2, 128, 256}) {
    Permutation order = parts.order(count);
    std::ranges::sort(order);
    EXPECT_EQ(order, identity_permutation(300));
  }
}

TEST(NestedParts, KeepTheOrderForOnePartAndForMorePartsThanRows) {
  const CsrMatrix<double> matrix = laplacian(5, 3, 3);
  NestedParts parts(matrix);
  EXPECT_EQ(parts.order(1), identity_permutation(9));
  EXPECT_EQ(parts.order(16), identity_permutation(9));
  EXPECT_EQ(NestedParts(CsrMatrix<double>{0, 0, {0}, {}, {}}).order(128), Permutation{});
}

TEST(NestedParts, RefuseOtherNumbersThanPowersOfTwo) {
  NestedParts parts(laplacian(5, 9, 9));
  for (const int count : {0, -4, 3, 96}) {
    EXPECT_EQ(refusal_of([&] { parts.order(count); }),
              "METIS: " + std::to_string(count) + " nested parts; expected a power of two");
  }
  EXPECT_THROW(NestedParts(random_csr<double>(20, 21, 3, 34)), Error);
}

TEST(NestedParts, AreWhatRenumberingsTakeBeyond64) {
  const CsrMatrix<double> matrix = laplacian(7, 12, 12, 12);
  EXPECT_EQ(make_permutation(Renumbering::metis, matrix, 128), NestedParts(matrix).order(128));
  EXPECT_EQ(make_permutation(Renumbering::metis, matrix, 64), metis_order(matrix, 64));
  EXPECT_EQ(make_permutation(Renumbering::metis, matrix, 100), metis_order(matrix, 100));
}

}  // namespace
}  // namespace sparsecast
