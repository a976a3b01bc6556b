#include "core/base/text/json_text.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace sparsecast {
namespace {

using Ordered = nlohmann::ordered_json;

TEST(JsonText, WritesEveryKindOfValue) {
  const JsonObject json{{"text", "word"},
                        {"truth", true},
                        {"whole", std::int64_t{-3}},
                        {"size", std::size_t{7}},
                        {"number", 0.1},
                        {"nothing", std::optional<double>()},
                        {"something", std::optional<int>(2)},
                        {"numbers", std::vector<double>{1, 2.5}},
                        {"words", std::vector<std::string>{"a", "b"}}};
  EXPECT_EQ(json.text(),
            R"({"text":"word","truth":true,"whole":-3,"size":7,"number":0.1,"nothing":null,)"
            R"("something":2,"numbers":[1.0,2.5],"words":["a","b"]})");
}

TEST(JsonText, HasNullForNumbersThatAreNotFinite) {
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(JsonValue(infinite).text(), "null");
  EXPECT_EQ(JsonValue(std::vector<double>{1, std::numeric_limits<double>::quiet_NaN()}).text(),
            "[1.0,null]");
}

TEST(JsonText, NestsArraysAndObjects) {
  JsonArray array;
  array.add(JsonObject{{"a", 1}}).add(JsonArray()).add(JsonObject());
  JsonObject json;
  json.add("list", array).add_members({{"b", 2}, {"c", 3}}).add_members({});
  EXPECT_EQ(json.text(), R"({"list":[{"a":1},[],{}],"b":2,"c":3})");
}

TEST(JsonText, BreaksLinesOutsideStringsOnly) {
  JsonArray array;
  array.add(JsonObject{{"key: {[,", "a \"quote\", a \\ and {[,:]}"}, {"empty", JsonArray()}});
  array.add(JsonObject()).add(std::vector<double>{1, 2});
  EXPECT_EQ(array.lines(), Ordered::parse(array.text()).dump(2) + '\n');
  EXPECT_EQ(JsonArray().lines(), "[]\n");
  EXPECT_EQ(JsonValue(1).lines(), "1\n");
}

TEST(JsonText, WrapsAtAWidthAndKeepsNumbersOnALine) {
  const JsonObject json{{"numbers", amounts_json(std::vector<double>{1, 2.5, 3e20})},
                        {"texts", std::vector<std::string>{"{", "}", "a, b"}},
                        {"few", JsonObject{{"a", 1}}}};
  EXPECT_EQ(json.wrapped(12),
            "{\n \"numbers\": [1,2.5,3e+20],\n \"texts\": [\n  \"{\",\n  \"}\",\n  \"a, b\"\n ],\n"
            " \"few\": {\"a\":1}\n}\n");
  EXPECT_EQ(json.wrapped(1000), json.text() + '\n');
}

TEST(JsonText, AmountsThatAreWholeHaveNoPoint) {
  EXPECT_EQ(amount_json(12).text(), "12");
  EXPECT_EQ(amount_json(0x1p53).text(), "9007199254740992");
  EXPECT_EQ(amount_json(0.1).text(), "0.1");
  EXPECT_EQ(amount_json(1e300).text(), "1e+300");
}

TEST(JsonText, EscapesWhatIsNoTextAndEveryControlCharacter) {
  EXPECT_EQ(JsonValue("a\n\x7f\xc2\x85 \xc3\xa9").text(), "\"a\\n\\u007f\\u0085 \xc3\xa9\"");
  EXPECT_EQ(JsonValue("\xff").text(), "\"\xef\xbf\xbd\"");
}

}  // namespace
}  // namespace sparsecast
