#pragma once

#include <map>
#include <vector>

#include "core/analysis/counted/product_counts.hpp"
#include "core/base/precision.hpp"
#include "core/base/text/json_text.hpp"
#include "core/base/text/json_tree.hpp"

namespace sparsecast {

/// An object by precision, of arrays of objects.
JsonObject to_json(const std::map<Precision, std::vector<ProductCounts>>& products);

/// The inverse, exact. Throws `Error` with the place for another one, and where a precision is not
/// there.
std::map<Precision, std::vector<ProductCounts>> read_products(const JsonPlace& object);

}  // namespace sparsecast
