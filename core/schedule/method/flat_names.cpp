#include "core/schedule/method/flat_names.hpp"

#include <cmath>

#include "core/base/error.hpp"

namespace sparsecast {
namespace {

constexpr std::size_t most_elements = 65536;

/// `name`: whose index it is.
std::int64_t whole_index(double value, const Expression& name) {
  if (!(value == std::floor(value)) || std::abs(value) > 1e9) {
    throw Error("an index of " + to_string(name) + " is " +
                to_string(Expression{Expression::Kind::number, value}) + ", no whole number");
  }
  return static_cast<std::int64_t>(value);
}

}  // namespace

FlatNames::FlatNames(const Method& method, const NamedNumbers& parameters) {
  for (const Declaration& each : method.vectors) add(each, parameters, vector_arrays_, vectors_);
  for (const Declaration& each : method.scalars) add(each, parameters, scalar_arrays_, scalars_);
}

void FlatNames::add(const Declaration& declaration, const NamedNumbers& parameters, Arrays& arrays,
                    std::vector<std::string>& names) {
  Array array;
  array.first = static_cast<int>(names.size());
  std::vector<std::string> elements{declaration.name};
  array.sizes = sizes_of(declaration, parameters);
  for (const std::int64_t size : array.sizes) {
    std::vector<std::string> longer;
    if (elements.size() * static_cast<std::size_t>(size) > most_elements) {
      throw Error(declaration.name + " has more than 65536 elements");
    }
    for (const std::string& element : elements) {
      for (std::int64_t i = 0; i < size; ++i) {
        longer.push_back(element + '[' + std::to_string(i) + ']');
      }
    }
    elements = std::move(longer);
  }
  names.insert(names.end(), elements.begin(), elements.end());
  if (names.size() > most_elements) {
    throw Error("vectors or scalars have more than 65536 elements together");
  }
  arrays[declaration.name] = std::move(array);
}

int FlatNames::slot(const Expression& name, const NamedNumbers& numbers, const Arrays& arrays) {
  const Array& array = arrays.find(name.name)->second;
  std::int64_t place = 0;
  for (std::size_t k = 0; k < array.sizes.size(); ++k) {
    const std::optional<double> value = constant_value(name.arguments[k], numbers);
    if (!value) {
      throw Error("an index of " + to_string(name) +
                  " is known only while it runs; make it of numbers, parameters and indices of "
                  "loops");
    }
    const std::int64_t index = whole_index(*value, name);
    if (index < 0 || index >= array.sizes[k]) {
      throw Error("an index of " + to_string(name) + " is " + std::to_string(index) +
                  "; expected 0 to " + std::to_string(array.sizes[k] - 1));
    }
    place = place * array.sizes[k] + index;
  }
  return array.first + static_cast<int>(place);
}

VectorSlot FlatNames::vector(const Expression& name, const NamedNumbers& numbers) const {
  return slot(name, numbers, vector_arrays_);
}

ScalarSlot FlatNames::scalar(const Expression& name, const NamedNumbers& numbers) const {
  return slot(name, numbers, scalar_arrays_);
}

const std::vector<std::int64_t>& FlatNames::sizes(std::string_view name) const {
  const auto vector = vector_arrays_.find(name);
  return vector != vector_arrays_.end() ? vector->second.sizes
                                        : scalar_arrays_.find(name)->second.sizes;
}

}  // namespace sparsecast
