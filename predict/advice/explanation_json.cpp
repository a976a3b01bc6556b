#include "predict/advice/explanation_json.hpp"

namespace sparsecast {

namespace {

JsonObject to_json(const ExplainedPart& part) {
  return {{"name", part.name},
          {"seconds", part.seconds},
          {"floor_seconds", part.floor_seconds},
          {"bound", part.bound},
          {"value_bytes", part.bytes.values},
          {"index_bytes", part.bytes.indices},
          {"row_pointer_bytes", part.bytes.row_pointers},
          {"vector_read_bytes", part.bytes.vector_reads},
          {"vector_written_bytes", part.bytes.vector_writes},
          {"memory_bytes", part.memory_bytes},
          {"cache_bytes", part.cache_bytes},
          {"looked_up_bytes", part.gathered_bytes}};
}

}  // namespace

JsonObject to_json(const Explanation& explanation) {
  JsonArray parts;
  for (const ExplainedPart& part : explanation.parts) parts.add(to_json(part));
  return {{"bound", explanation.bound},
          {"bound_share", explanation.bound_share},
          {"advice", explanation.advice},
          {"parts", parts}};
}

}  // namespace sparsecast
