#include "core/schedule/shipped/shipped_methods.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/schedule/method/method_json.hpp"

namespace sparsecast {
namespace {

TEST(ShippedMethods, AreTheFilesOfTheFolder) {
  const std::filesystem::path folder = std::filesystem::path(SPARSECAST_SOURCE_DIR) / "schedules";
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().stem().string());
    EXPECT_EQ(to_json(shipped_method(names.back())), to_json(read_method_file(entry.path())));
  }
  std::ranges::sort(names);
  EXPECT_EQ(shipped_names(), names);
}

TEST(ShippedMethods, OfAnotherNameAreRefusedWithAllThatThereAre) {
  EXPECT_EQ(find_shipped("qmr"), nullptr);
  try {
    shipped_method("qmr");
    ADD_FAILURE();
  } catch (const Error& error) {
    const std::string said = error.what();
    EXPECT_TRUE(said.starts_with("unknown solver 'qmr'; expected bicg, ")) << said;
    for (const std::string& name : shipped_names()) {
      EXPECT_NE(said.find(name), std::string::npos) << name;
    }
  }
}

TEST(ShippedMethods, OfLessDemandingKindsAreForMoreMatrices) {
  const std::vector<std::string> square = shipped_names_for(MatrixKind::square);
  const std::vector<std::string> symmetric = shipped_names_for(MatrixKind::symmetric);
  const auto has = [](const std::vector<std::string>& names, const char* name) {
    return std::ranges::find(names, name) != names.end();
  };
  EXPECT_TRUE(has(square, "gmres") && has(square, "bicgstab"));
  EXPECT_FALSE(has(square, "minres") || has(square, "cg"));
  EXPECT_TRUE(has(symmetric, "gmres") && has(symmetric, "minres"));
  EXPECT_FALSE(has(symmetric, "cg"));
  EXPECT_TRUE(has(shipped_names(), "cg"));
}

}  // namespace
}  // namespace sparsecast
