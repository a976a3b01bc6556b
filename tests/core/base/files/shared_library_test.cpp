#include "core/base/files/shared_library.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/base/error.hpp"

namespace sparsecast {
namespace {

TEST(SharedLibrary, GivesTheFunctionsOfALibraryByName) {
  const SharedLibrary library("libm.so.6", "the C library");
  double (*cosine)(double) = nullptr;
  library.find("cos", cosine);
  EXPECT_EQ(cosine(0.5), std::cos(0.5));
  EXPECT_THROW(library.find("no_such_function", cosine), Error);
}

TEST(SharedLibrary, AMissingOneIsNamedInOneLineWithWhatToInstall) {
  try {
    SharedLibrary("libnothing.so.0", "nothing at all");
    FAIL() << "loaded";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("libnothing.so.0"), std::string::npos) << text;
    EXPECT_NE(text.find("install nothing at all"), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace sparsecast
