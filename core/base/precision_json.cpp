#include "core/base/precision_json.hpp"

#include "core/base/text/text_fields.hpp"

namespace sparsecast {

Precision read_precision(const JsonPlace& place) {
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    if (place.text() == to_string(precision)) return precision;
  }
  place.refuse("expected f32 or f64, found " + in_quotes(place.text()));
}

}  // namespace sparsecast
