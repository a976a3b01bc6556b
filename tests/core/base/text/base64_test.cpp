#include "core/base/text/base64.hpp"

#include <gtest/gtest.h>

namespace sparsecast {
namespace {

TEST(Base64, IsWhatTheStandardGivesOfItsExamples) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
}

TEST(Base64, TakesBytesOfAllKinds) {
  EXPECT_EQ(base64(std::string_view("\xff\xfe\x00", 3)), "//4A");
}

}  // namespace
}  // namespace sparsecast
