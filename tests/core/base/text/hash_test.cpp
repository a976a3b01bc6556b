#include "core/base/text/hash.hpp"

#include <gtest/gtest.h>

namespace sparsecast {
namespace {

TEST(Hash, IsFnv1aOfTheText) {
  // http://www.isthe.com/chongo/tech/comp/fnv: the basis, and "foobar".
  EXPECT_EQ(hash_of("", 0), 0xcbf29ce484222325u);
  EXPECT_EQ(hash_of("foobar", 0), 0x85944171f73967e8u);
  EXPECT_NE(hash_of("foobar", 1), hash_of("foobar", 0));
}

TEST(Hash, IsWrittenWithAllItsDigits) {
  EXPECT_EQ(hexadecimal(0x1f), "000000000000001f");
  EXPECT_EQ(hexadecimal(0xcbf29ce484222325u), "cbf29ce484222325");
}

}  // namespace
}  // namespace sparsecast
