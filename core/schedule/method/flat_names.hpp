#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/schedule/method/method.hpp"
#include "core/schedule/method/method_names.hpp"

namespace sparsecast {

/// The vectors and scalars of a method with arrays taken apart: "V[3]" is a vector with a slot of
/// its own. Slots are numbered from 0, in the order of the declarations.
class FlatNames {
 public:
  /// Throws `Error` like `sizes_of`, and where there are more than 65536 vectors or scalars.
  FlatNames(const Method& method, const NamedNumbers& parameters);

  const std::vector<std::string>& vectors() const { return vectors_; }
  const std::vector<std::string>& scalars() const { return scalars_; }

  bool is_vector(std::string_view name) const { return vector_arrays_.contains(name); }
  /// The slot of a name with its indices, which are constant. Throws `Error` for an index out of
  /// range.
  VectorSlot vector(const Expression& name, const NamedNumbers& numbers) const;
  ScalarSlot scalar(const Expression& name, const NamedNumbers& numbers) const;
  /// The sizes of each dimension of a vector or scalar.
  const std::vector<std::int64_t>& sizes(std::string_view name) const;

 private:
  struct Array {
    int first = 0;
    std::vector<std::int64_t> sizes;
  };
  using Arrays = std::map<std::string, Array, std::less<>>;

  static void add(const Declaration& declaration, const NamedNumbers& parameters, Arrays& arrays,
                  std::vector<std::string>& names);
  static int slot(const Expression& name, const NamedNumbers& numbers, const Arrays& arrays);

  std::vector<std::string> vectors_;
  std::vector<std::string> scalars_;
  Arrays vector_arrays_;
  Arrays scalar_arrays_;
};

}  // namespace sparsecast
