#include "core/base/text/json_tree.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/text/nearest_name.hpp"
#include "core/base/text/text_fields.hpp"

namespace sparsecast {

namespace {

using Json = nlohmann::json;
using Kind = JsonTree::Kind;

/// "line 3, column 14" of a byte counted from 1.
std::string line_and_column(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, byte > 0 ? std::min(byte - 1, text.size()) : 0);
  const auto lines = std::ranges::count(before, '\n');
  const std::size_t line_start = before.rfind('\n');
  const std::size_t column =
      line_start == std::string_view::npos ? before.size() + 1 : before.size() - line_start;
  return "line " + std::to_string(lines + 1) + ", column " + std::to_string(column);
}

/// Puts the tree together from what the parser meets.
class TreeBuilder final : public Json::json_sax_t {
 public:
  TreeBuilder(JsonTree& root, std::string_view text, const std::string& source,
              const std::string& expected)
      : root_(&root), text_(text), source_(source), expected_(expected) {}

  bool null() override { return add(Kind::null), true; }
  bool boolean(bool value) override { return add(Kind::truth).truth = value, true; }
  bool number_integer(number_integer_t value) override {
    return add_number(static_cast<double>(value), std::to_string(value)), true;
  }
  bool number_unsigned(number_unsigned_t value) override {
    add_number(static_cast<double>(value), std::to_string(value)).whole = value;
    return true;
  }
  bool number_float(number_float_t value, const string_t& written) override {
    return add_number(value, written), true;
  }
  bool string(string_t& value) override { return add(Kind::text).text = std::move(value), true; }
  bool binary(binary_t& /*value*/) override { return false; }  // no JSON text has any
  bool start_object(std::size_t /*elements*/) override { return open(Kind::object); }
  bool start_array(std::size_t /*elements*/) override { return open(Kind::array); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& value) override {
    JsonTree& object = *open_.back();
    // Which of the two is meant nobody knows.
    if (!object.member_places.emplace(value, object.elements.size()).second) {
      throw Error(source_ + ": field " + in_quotes(value) + " is there twice");
    }
    object.keys.push_back(std::move(value));
    return true;
  }

  bool parse_error(std::size_t byte, const std::string& /*token*/,
                   const Json::exception& error) override {
    if (dynamic_cast<const Json::parse_error*>(&error) == nullptr) {
      throw Error(source_ + ": a number is too large; expected finite numbers");
    }
    refuse_damaged(byte);
  }

  [[noreturn]] void refuse_damaged(std::size_t byte) const {
    throw Error(source_ + ": damaged JSON at " + line_and_column(text_, byte) + "; expected " +
                expected_);
  }

 private:
  JsonTree& add(Kind kind) {
    JsonTree& added = open_.empty() ? *root_ : open_.back()->elements.emplace_back();
    added.kind = kind;
    return added;
  }
  JsonTree& add_number(double value, const std::string& written) {
    JsonTree& added = add(Kind::number);
    added.number = value;
    added.text = written;
    return added;
  }
  bool open(Kind kind) {
    if (open_.size() == deepest_json) {
      throw Error(source_ + ": damaged JSON, nested deeper than " + std::to_string(deepest_json) +
                  "; expected " + expected_);
    }
    open_.push_back(&add(kind));
    return true;
  }
  bool close() { return open_.pop_back(), true; }

  JsonTree* root_;
  std::string_view text_;
  const std::string& source_;
  const std::string& expected_;
  std::vector<JsonTree*> open_;  ///< from the top to where the next value goes
};

}  // namespace

const JsonTree* JsonTree::find(std::string_view key) const {
  const auto found = member_places.find(key);
  return found == member_places.end() ? nullptr : &elements[found->second];
}

std::string JsonTree::kind_text() const {
  switch (kind) {
    case Kind::null:
      return "null";
    case Kind::truth:
      return "true or false";
    case Kind::number:
      return "a number";
    case Kind::text:
      return "a text";
    case Kind::array:
      return "an array";
    case Kind::object:
      return "an object";
  }
  return "a value";
}

JsonTree parse_json_tree(std::string_view text, const std::string& source,
                         const std::string& expected) {
  JsonTree root;
  TreeBuilder builder(root, text, source, expected);
  // The parser would take it for the end.
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
    builder.refuse_damaged(zero + 1);
  }
  Json::sax_parse(text.begin(), text.end(), &builder);
  return root;
}

std::string JsonPlace::place() const {
  return *source_ + (path_.empty() ? "" : ": " + path_);
}

void JsonPlace::refuse(const std::string& message) const {
  throw Error(place() + ": " + message);
}

void JsonPlace::require(Kind kind, const char* expected) const {
  if (tree_->kind != kind) {
    refuse("expected " + std::string(expected) + ", found " + tree_->kind_text());
  }
}

/// A number as it is written, else what it is.
std::string JsonPlace::found_text() const {
  return tree_->kind == Kind::number ? tree_->text : tree_->kind_text();
}

JsonPlace JsonPlace::inside(const JsonTree& tree, std::string path) const {
  JsonPlace place(tree, *source_);
  place.path_ = std::move(path);
  return place;
}

const std::string& JsonPlace::text() const {
  require(Kind::text, "a text");
  return tree_->text;
}

double JsonPlace::number() const {
  require(Kind::number, "a number");
  return tree_->number;
}

double JsonPlace::amount() const {
  if (tree_->kind != Kind::number || tree_->number < 0) {
    refuse("expected a number of at least 0, found " + found_text());
  }
  return tree_->number;
}

std::int64_t JsonPlace::count() const {
  constexpr std::uint64_t most = std::uint64_t{1} << 53;
  if (!tree_->whole || *tree_->whole > most) {
    refuse("expected a whole number from 0 to 2^53, found " + found_text());
  }
  return static_cast<std::int64_t>(*tree_->whole);
}

void JsonPlace::fill(std::span<double> amounts) const {
  const std::vector<JsonPlace> places = elements();
  if (places.size() != amounts.size()) {
    refuse("expected " + std::to_string(amounts.size()) + " numbers, found " +
           std::to_string(places.size()));
  }
  for (std::size_t k = 0; k < places.size(); ++k) amounts[k] = places[k].amount();
}

bool JsonPlace::truth() const {
  require(Kind::truth, "true or false");
  return tree_->truth;
}

std::vector<JsonPlace> JsonPlace::elements() const {
  require(Kind::array, "an array");
  std::vector<JsonPlace> places;
  for (std::size_t i = 0; i < tree_->elements.size(); ++i) {
    places.push_back(inside(tree_->elements[i], path_ + "[" + std::to_string(i) + "]"));
  }
  return places;
}

const std::vector<std::string>& JsonPlace::keys() const {
  require(Kind::object, "an object");
  return tree_->keys;
}

std::optional<JsonPlace> JsonPlace::find(const std::string& key) const {
  require(Kind::object, "an object");
  const JsonTree* member = tree_->find(key);
  if (member == nullptr) return std::nullopt;
  return inside(*member, (path_.empty() ? "" : path_ + ".") + brief(key));
}

JsonPlace JsonPlace::at(const std::string& key) const {
  const std::optional<JsonPlace> member = find(key);
  if (!member) refuse("field '" + key + "' is missing");
  return *member;
}

void JsonPlace::allow_only(std::span<const std::string> known) const {
  for (const std::string& key : keys()) {
    if (std::ranges::find(known, key) != known.end()) continue;
    refuse("unknown field " + in_quotes(key) + "; " + hint_of_name(key, known));
  }
}

}  // namespace sparsecast
