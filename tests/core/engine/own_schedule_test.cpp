#include "core/engine/own_schedule.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "core/refusal.hpp"
#include "core/schedule/shipped/shipped_methods.hpp"

namespace sparsecast {
namespace {

constexpr std::array two{Preconditioner::jacobi, Preconditioner::chebyshev(3)};

std::vector<OwnSchedule> schedules(const std::vector<std::string>& names) {
  std::vector<OwnSchedule> made;
  for (const std::string& name : names) made.push_back({shipped_method(name)});
  return made;
}

std::vector<std::string> names_of(const std::vector<OwnSchedule>& all) {
  std::vector<std::string> names;
  for (const OwnSchedule& each : all) names.push_back(each.method.name);
  return names;
}

TEST(OwnSchedules, AreMadeOfEachSolverAndPreconditioner) {
  std::vector<OwnSchedule> given = schedules({"cg", "gmres"});
  given[1].settings["m"] = 7;
  const std::vector<OwnSchedule> made = with_preconditioners(given, two, WithoutChoice::refused);
  EXPECT_EQ(names_of(made),
            (std::vector<std::string>{"cg", "cg-chebyshev3", "gmres-jacobi", "gmres-chebyshev3"}));
  EXPECT_TRUE(made[1].settings.empty());
  EXPECT_EQ(made[3].settings.at("m"), 7);
}

TEST(OwnSchedules, WithoutAChoiceAreRefusedKeptOrLeftOut) {
  const std::vector<OwnSchedule> given = schedules({"cg", "minres"});
  const auto made = [&](WithoutChoice without_choice) {
    return names_of(with_preconditioners(given, two, without_choice));
  };
  EXPECT_EQ(refusal_of([&] { made(WithoutChoice::refused); }),
            "minres leaves no choice; leave it out");
  EXPECT_EQ(made(WithoutChoice::kept), (std::vector<std::string>{"cg", "cg-chebyshev3", "minres"}));
  EXPECT_EQ(made(WithoutChoice::left_out), (std::vector<std::string>{"cg", "cg-chebyshev3"}));
  EXPECT_EQ(
      refusal_of([&] { with_preconditioners(schedules({"minres"}), two, WithoutChoice::kept); }),
      "minres leaves no choice; leave it out");
}

TEST(OwnSchedules, TakeEachPreconditionerOnce) {
  const std::array twice{Preconditioner::jacobi, Preconditioner::jacobi};
  EXPECT_EQ(
      refusal_of([&] { with_preconditioners(schedules({"cg"}), twice, WithoutChoice::left_out); }),
      "jacobi is there twice");
}

TEST(OwnSchedules, ArePricedWithTheirSettings) {
  std::vector<OwnSchedule> given = schedules({"gmres", "gmres"});
  given[1].settings["m"] = 7;
  EXPECT_LT(given[1].priced().schedule.iteration.size(),
            given[0].priced().schedule.iteration.size());
}

}  // namespace
}  // namespace sparsecast
