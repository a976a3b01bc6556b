#include "core/base/text/json_tree.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace sparsecast
