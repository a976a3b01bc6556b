#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// JSON that is read: values with the order of their members, and messages that name a place.

namespace sparsecast {

/// A value of a JSON text, with all that is in it.
struct JsonTree {
  enum class Kind { null, truth, number, text, array, object };
  Kind kind = Kind::null;
  bool truth = false;
  double number = 0;
  std::optional<std::uint64_t> whole;  ///< a number without sign, point and exponent
  std::string text;                    ///< of a number: as it is written
  std::vector<JsonTree> elements;      ///< of an array, and of an object's members in their order
  std::vector<std::string> keys;       ///< of the members
  std::map<std::string, std::size_t, std::less<>> member_places;  ///< in `elements`

  /// The member of an object; nullptr if there is none.
  const JsonTree* find(std::string_view key) const;
  /// What it is, for messages: "an array".
  std::string kind_text() const;
};

/// Arrays and objects may be nested so deep.
inline constexpr int deepest_json = 100;

/// Reads a whole text. Throws `Error`: `source`, what is damaged (line and column) and `expected`
/// ("a profile as sparsecast calibrate writes it"); a member that is there twice; a number that no
/// double holds; too deep nesting.
JsonTree parse_json_tree(std::string_view text, const std::string& source,
                         const std::string& expected);

/// A value and its path from the top of its file. What is asked for and not there is refused.
class JsonPlace {
 public:
  /// The top of a file. Tree and source must outlive it.
  JsonPlace(const JsonTree& tree, const std::string& source) : tree_(&tree), source_(&source) {}

  JsonTree::Kind kind() const { return tree_->kind; }
  /// "schedules/x.json: iteration[2].vector[0]"
  std::string place() const;
  const std::string& path() const { return path_; }
  /// Throws `Error`: place and message.
  [[noreturn]] void refuse(const std::string& message) const;

  // Throw `Error` where the value is of another kind.
  const std::string& text() const;
  double number() const;
  double amount() const;       ///< a number of at least 0
  std::int64_t count() const;  ///< a whole number from 0 to 2^53, which doubles hold
  void fill(std::span<double> amounts) const;  ///< from an array of just so many
  bool truth() const;
  std::vector<JsonPlace> elements() const;  ///< of an array
  const std::vector<std::string>& keys() const;
  std::optional<JsonPlace> find(const std::string& key) const;
  JsonPlace at(const std::string& key) const;  ///< a member that must be there

  /// Refuses an object with other members than these, and says which may have been meant.
  void allow_only(std::span<const std::string> known) const;

 private:
  void require(JsonTree::Kind kind, const char* expected) const;
  std::string found_text() const;
  JsonPlace inside(const JsonTree& tree, std::string path) const;

  const JsonTree* tree_;
  const std::string* source_;
  std::string path_;
};

}  // namespace sparsecast
