#include "core/matrix/renumbering.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "core/base/error.hpp"
#include "core/matrix/cuthill_mckee.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/matrix/hub_order.hpp"
#include "core/matrix/metis_order.hpp"

namespace sparsecast {
namespace {

TEST(Renumbering, IsReadBackFromItsName) {
  for (const Renumbering how : all_renumberings) {
    EXPECT_EQ(parse_renumbering(to_string(how)), how);
  }
}

TEST(Renumbering, RefusesAnUnknownNameAndListsTheKnown) {
  try {
    parse_renumbering("amd");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "unknown renumbering 'amd'; expected one of none, random, rcm, metis, hubs");
  }
}

TEST(Renumbering, MakesThePermutationOfItsName) {
  const CsrMatrix<double> grid = laplacian(5, 20, 20);
  const CsrMatrix<double> matrix = renumber(grid.view(), random_permutation(400, 3));
  Permutation as_it_is(400);
  std::iota(as_it_is.begin(), as_it_is.end(), 0);
  EXPECT_EQ(make_permutation(Renumbering::none, matrix, 2), as_it_is);
  EXPECT_EQ(make_permutation(Renumbering::random, matrix, 2, 7), random_permutation(400, 7));
  EXPECT_EQ(make_permutation(Renumbering::rcm, matrix, 2), reverse_cuthill_mckee(matrix));
  EXPECT_EQ(make_permutation(Renumbering::hubs, matrix, 2), hub_order(matrix));
  EXPECT_EQ(make_permutation(Renumbering::metis, matrix, 2), metis_order(matrix, 2));
}

}  // namespace
}  // namespace sparsecast
