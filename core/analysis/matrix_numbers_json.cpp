#include "core/analysis/matrix_numbers_json.hpp"

namespace sparsecast {

JsonObject to_json(const RowNumbers& counted) {
  return {{"mean_distance", *counted.mean_distance},
          {"neighbours", *counted.neighbours},
          {"row_similarity", *counted.similarity}};
}

}  // namespace sparsecast
