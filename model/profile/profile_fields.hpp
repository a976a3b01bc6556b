#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// @file
/// The fields of a profile's file, each named once for reading and for writing: `list_fields` of a
/// type goes through its fields in their order in the file and hands each to a `ProfileFields`,
/// which reads the value or writes it.

namespace sparsecast {

/// Numbers beyond these are mistakes; within them no price overflows.
struct NumberRange {
  double min = 0;
  double max = std::numeric_limits<double>::max();
};
inline constexpr NumberRange not_negative{};
inline constexpr NumberRange positive{std::numeric_limits<double>::min(),
                                      std::numeric_limits<double>::max()};
inline constexpr NumberRange any_number{std::numeric_limits<double>::lowest(),
                                        std::numeric_limits<double>::max()};
inline constexpr NumberRange share{0, 1};
inline constexpr NumberRange gbps_range{1e-9, 1e9};

/// Values that a file has by name.
template <class Value, std::size_t count>
using NamedValues = std::array<std::pair<std::string_view, Value>, count>;

/// An object of the file. Errors are `Error` with file and place; what is written is not checked:
/// whoever writes a file reads it first.
class ProfileFields {
 public:
  ProfileFields() = default;
  ProfileFields(const ProfileFields&) = delete;
  ProfileFields& operator=(const ProfileFields&) = delete;
  virtual ~ProfileFields() = default;

  /// False: writes.
  virtual bool reads() const = 0;

  // Fields that must be there, in the order of the file.
  virtual void number(const std::string& key, double& value, NumberRange range) = 0;
  /// From 0.
  virtual void whole_number(const std::string& key, std::int64_t& value) = 0;
  virtual void whole_number(const std::string& key, int& value) = 0;
  virtual void text(const std::string& key, std::string& value) = 0;
  virtual void flag(const std::string& key, bool& value) = 0;
  /// An array of as many.
  virtual void numbers(const std::string& key, std::span<double> values, NumberRange range) = 0;
  virtual void texts(const std::string& key, std::vector<std::string>& values) = 0;
  /// Until `end` all is about the object that this field is. At its end a field that nobody asked
  /// for is refused.
  virtual void begin(const std::string& key) = 0;
  virtual void end() = 0;

  /// Whether an optional field is in the file; of one that is written, `present`.
  virtual bool has(const std::string& key, bool present) = 0;
  /// All fields that are there to be read.
  virtual std::vector<std::string> keys() const = 0;

  /// Refuses the field before, unless this holds.
  virtual void require(bool holds, const std::string& message) const = 0;
  /// Refuses a field, and the object.
  [[noreturn]] void refuse(const std::string& key, const std::string& message) const;
  [[noreturn]] void refuse_object(const std::string& message) const;

  /// A field of a type that has fields.
  template <class Value>
  void object(const std::string& key, Value& value) {
    begin(key);
    list_fields(*this, value);
    end();
  }
  template <class Value>
  void optional_object(const std::string& key, std::optional<Value>& value) {
    if (!has(key, value.has_value())) return;
    if (!value) value.emplace();
    object(key, *value);
  }

  /// Written where it is above 0. Returns whether it is there.
  bool optional_number(const std::string& key, double& value, NumberRange range);
  void optional_number(const std::string& key, std::optional<double>& value, NumberRange range);
  /// Written where it is not empty.
  void optional_text(const std::string& key, std::string& value);

  /// Texts by any name; written where there are some.
  void optional_texts(const std::string& key, std::map<std::string, std::string>& values);

  /// "schema": always this version. It comes first: of another one nothing else is known.
  void schema(int version);
  /// "unit": always this one.
  void unit(const std::string& name);

  template <class Value, std::size_t count>
  void named(const std::string& key, Value& value, const NamedValues<Value, count>& names) {
    std::string name = reads() ? "" : name_of(names, value);
    text(key, name);
    if (reads()) value = value_of(key, name, names);
  }

  /// An object with a field for each entry of a map. `Keys` tells their names: `name(key)`, and
  /// `key(fields, name)`, which refuses others. `visit(name, value)` hands the entry over.
  template <class Map, class Keys, class Visit>
  void entries(const std::string& key, Map& map, const Keys& of_map, const Visit& visit) {
    begin(key);
    if (reads()) {
      for (const std::string& name : keys()) visit(name, map[of_map.key(*this, name)]);
    } else {
      for (auto& [each, value] : map) visit(of_map.name(each), value);
    }
    end();
  }
  /// Of a map whose values have fields.
  template <class Map, class Keys>
  void objects(const std::string& key, Map& map, const Keys& of_map) {
    entries(key, map, of_map,
            [this](const std::string& name, auto& value) { object(name, value); });
  }
  /// Written where it is not empty.
  template <class Map, class Keys>
  void optional_objects(const std::string& key, Map& map, const Keys& of_map) {
    if (has(key, !map.empty())) objects(key, map, of_map);
  }

  template <class Value, std::size_t count>
  static std::string name_of(const NamedValues<Value, count>& names, Value value) {
    for (const auto& [name, named] : names) {
      if (named == value) return std::string(name);
    }
    refuse_nameless();
  }
  /// Refuses the field `key` for a name that is none of these.
  template <class Value, std::size_t count>
  Value value_of(const std::string& key, const std::string& name,
                 const NamedValues<Value, count>& names) const {
    std::vector<std::string_view> known;
    for (const auto& [each, value] : names) {
      if (each == name) return value;
      known.push_back(each);
    }
    refuse_name(key, name, known);
  }

 protected:
  /// File and place of a field, and of the object, in front of a message.
  virtual std::string place_of(const std::string& key) const = 0;
  virtual std::string place() const = 0;

 private:
  [[noreturn]] static void refuse_nameless();
  [[noreturn]] void refuse_name(const std::string& key, const std::string& name,
                                std::span<const std::string_view> known) const;
};

/// Keys of a map that are texts.
struct TextKeys {
  static const std::string& name(const std::string& key) { return key; }
  static const std::string& key(const ProfileFields& /*fields*/, const std::string& name) {
    return name;
  }
};

/// Keys of a map that are named values.
template <class Value, std::size_t count>
struct NamedKeys {
  NamedValues<Value, count> names;

  std::string name(Value key) const { return ProfileFields::name_of(names, key); }
  Value key(const ProfileFields& fields, const std::string& name) const {
    return fields.value_of(name, name, names);
  }
};

/// Keys of a map that are whole numbers in a range.
struct NumberKeys {
  int least = 0;
  int most = 0;
  const char* meaning = "";  ///< "a decade from 0 to 18"

  std::string name(int key) const { return std::to_string(key); }
  int key(const ProfileFields& fields, const std::string& name) const;
};

}  // namespace sparsecast
