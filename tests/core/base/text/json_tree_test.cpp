#include "core/base/text/json_tree.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <span>

#include "core/refusal.hpp"

namespace sparsecast {
namespace {

JsonTree tree_of(const std::string& text) {
  return parse_json_tree(text, "f.json", "a list of ours");
}
std::string refusal(const std::string& text) {
  return refusal_of([&] { tree_of(text); });
}

TEST(JsonTree, KeepsValuesAndTheOrderOfMembers) {
  const JsonTree tree = tree_of(R"({"z": [1, -2, 0.5, true, null, "t"], "a": {"b": 3}})");
  EXPECT_EQ(tree.keys, (std::vector<std::string>{"z", "a"}));
  const JsonTree& array = *tree.find("z");
  ASSERT_EQ(array.elements.size(), 6u);
  EXPECT_EQ(array.elements[0].whole, 1u);
  EXPECT_EQ(array.elements[1].number, -2);
  EXPECT_FALSE(array.elements[1].whole);
  EXPECT_EQ(array.elements[2].text, "0.5");
  EXPECT_TRUE(array.elements[3].truth);
  EXPECT_EQ(array.elements[4].kind, JsonTree::Kind::null);
  EXPECT_EQ(array.elements[5].text, "t");
  EXPECT_EQ(tree.find("a")->find("b")->number, 3);
  EXPECT_EQ(tree.find("b"), nullptr);
}

TEST(JsonTree, SaysWhereATextIsDamaged) {
  EXPECT_EQ(refusal("{\n  oops"),
            "f.json: damaged JSON at line 2, column 3; expected a list of ours");
  EXPECT_EQ(refusal(R"({"a": 1, "a": 2})"), "f.json: field 'a' is there twice");
  EXPECT_EQ(refusal("1e999"), "f.json: a number is too large; expected finite numbers");
  EXPECT_EQ(refusal(std::string(100'000, '[')),
            "f.json: damaged JSON, nested deeper than 100; expected a list of ours");
}

TEST(JsonPlace, NamesThePlaceOfWhatItRefuses) {
  const std::string source = "f.json";
  const JsonTree tree = tree_of(R"({"steps": [1, {"do": [true]}]})");
  const JsonPlace top(tree, source);
  const JsonPlace inner = top.at("steps").elements().at(1).at("do").elements().at(0);
  EXPECT_TRUE(inner.truth());
  EXPECT_EQ(refusal_of([&] { inner.text(); }),
            "f.json: steps[1].do[0]: expected a text, found true or false");
  EXPECT_EQ(refusal_of([&] { top.at("steps").number(); }),
            "f.json: steps: expected a number, found an array");
  EXPECT_EQ(refusal_of([&] { top.elements(); }), "f.json: expected an array, found an object");
  EXPECT_EQ(refusal_of([&] { top.at("step"); }), "f.json: field 'step' is missing");
  EXPECT_FALSE(top.find("step"));
}

TEST(JsonPlace, SaysWhichMemberMayHaveBeenMeant) {
  const std::string source = "f.json";
  const JsonTree tree = tree_of(R"({"vektor": 1, "x": 2})");
  const JsonPlace top(tree, source);
  EXPECT_EQ(refusal_of([&] {
              top.allow_only(std::vector<std::string>{"vector", "x"});
            }),
            "f.json: unknown field 'vektor'; did you mean 'vector'?");
  EXPECT_EQ(refusal_of([&] {
              top.allow_only(std::vector<std::string>{"apply", "x"});
            }),
            "f.json: unknown field 'vektor'; known are apply, x");
  EXPECT_EQ(refusal_of([&] {
              top.allow_only(std::vector<std::string>{"vektor", "x"});
            }),
            "accepted");
}

TEST(JsonPlace, ReadsAmountsAndCounts) {
  const std::string source = "f.json";
  const JsonTree tree = parse_json_tree(
      R"({"count": 12, "most": 9007199254740992, "half": 0.5, "less": -1, "more": 9007199254740993,
          "three": [1, 2.5, 0], "wrong": [1, "2", 3]})",
      source, "a list");
  const JsonPlace top(tree, source);
  EXPECT_EQ(top.at("count").count(), 12);
  EXPECT_EQ(top.at("most").count(), std::int64_t{1} << 53);
  EXPECT_EQ(top.at("half").amount(), 0.5);
  std::array<double, 3> three{};
  top.at("three").fill(three);
  EXPECT_EQ(three, (std::array{1.0, 2.5, 0.0}));
  const auto refusal = [&](const char* key, const auto& read) {
    return refusal_of([&] { read(top.at(key)); });
  };
  const auto count = [](const JsonPlace& place) { place.count(); };
  const auto amount = [](const JsonPlace& place) { place.amount(); };
  const auto fill = [&](const JsonPlace& place) { place.fill(three); };
  const std::string whole = ": expected a whole number from 0 to 2^53, found ";
  EXPECT_EQ(refusal("half", count), "f.json: half" + whole + "0.5");
  EXPECT_EQ(refusal("less", count), "f.json: less" + whole + "-1");
  EXPECT_EQ(refusal("more", count), "f.json: more" + whole + "9007199254740993");
  EXPECT_EQ(refusal("three", count), "f.json: three" + whole + "an array");
  EXPECT_EQ(refusal("less", amount), "f.json: less: expected a number of at least 0, found -1");
  EXPECT_EQ(refusal("wrong", fill),
            "f.json: wrong[1]: expected a number of at least 0, found a text");
  EXPECT_EQ(refusal_of([&] { top.at("three").fill(std::span(three).first(2)); }),
            "f.json: three: expected 2 numbers, found 3");
}

}  // namespace
}  // namespace sparsecast
