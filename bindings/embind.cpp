#include <emscripten/bind.h>
#include <emscripten/heap.h>

#include <map>
#include <memory>
#include <optional>

#include "analysis/ablation.h"
#include "base/context.h"
#include "bindings/array_table.h"
#include "bindings/components.h"
#include "bindings/config_marshal.h"
#include "bindings/marshal.h"
#include "io/checkpoint.h"
#include "kernels/int8_kernel.h"
#include "kernels/self_test.h"
#include "model/encoder.h"
#include "model/run.h"

// Every function answers { value } or { error: { code, message } }. Encoders and runs are numbers,
// so that nothing in JavaScript has to be deleted by hand. Arguments other than these numbers come
// as they are: each further signature would have a caller of its own in the module and in the glue.
namespace headscope {
namespace {

using marshal::Fields;
using marshal::guarded;
using marshal::val;

struct EncoderSlot {
  EncoderSlot(const Config& config, WeightFormat format)
      : encoder(config, format), loader(std::in_place, encoder.parameters()) {}
  Encoder encoder;
  std::optional<CheckpointLoader> loader;      // until the encoder is complete
  std::unique_ptr<marshal::ArrayTable> table;  // until it is whole
};

struct RunSlot {
  std::shared_ptr<EncoderSlot> encoder;  // lives as long as a run of it
  Run run;
};

struct AnalysisSlot {
  std::shared_ptr<EncoderSlot> encoder;
  Ablation ablation;
};

struct Engine {
  std::optional<Context> context;
  std::map<int, std::shared_ptr<EncoderSlot>> encoders;
  std::map<int, std::unique_ptr<RunSlot>> runs;
  std::map<int, std::unique_ptr<AnalysisSlot>> analyses;
  int last_id = 0;
};

Engine& engine() {
  static Engine instance;
  return instance;
}

Context& context() {
  if (!engine().context) engine().context.emplace(1);
  return *engine().context;
}

std::shared_ptr<EncoderSlot> encoder_slot(int id) {
  const auto found = engine().encoders.find(id);
  require(found != engine().encoders.end(), ErrorCode::kDisposed, "encoder: it has been disposed");
  return found->second;
}

CheckpointLoader& loader_of(EncoderSlot& slot) {
  require(slot.loader.has_value(), ErrorCode::kInternal, "encoder: it is complete already");
  return *slot.loader;
}

void complete(EncoderSlot& slot) {
  slot.encoder.finish();
  slot.loader.reset();
}

Encoder& finished_encoder(EncoderSlot& slot) {
  require(slot.encoder.finished(), ErrorCode::kInternal,
          "encoder: its parameters are not complete");
  return slot.encoder;
}

RunSlot& run_slot(int id) {
  const auto found = engine().runs.find(id);
  require(found != engine().runs.end(), ErrorCode::kAborted, "run: it has been dropped");
  return *found->second;
}

template <class T, class Read>
std::vector<T> list_in(const val& array, const Read& read) {
  std::vector<T> values;
  for (std::size_t i = 0; i < marshal::length_of(array); ++i) values.push_back(read(array[i]));
  return values;
}

val heap_bytes() {
  return guarded([] { return val(static_cast<double>(emscripten_get_heap_size())); });
}

val start_threads(int threads) {
  return guarded([&] {
    require(!engine().context, ErrorCode::kInternal,
            "engine: its threads have been started before");
    engine().context.emplace(threads);
    return val::undefined();
  });
}

val self_test() {
  return guarded([] { return val(kernels_agree()); });
}

val int8_kernel() {
  return guarded(
      [] { return marshal::text_value(best_int8_kernel() == Int8Kernel::kDot ? "dot" : "wide"); });
}

WeightFormat format_in(const std::string& word) {
  if (word == "f32") return WeightFormat::kFloat32;
  if (word == "wide") return WeightFormat::kInt8Wide;
  require(word == "dot" && int8_kernel_agrees(Int8Kernel::kDot), ErrorCode::kInternal,
          "encoder: no such weights here, expected 'f32', 'wide' or, where it is right, 'dot'");
  return WeightFormat::kInt8Dot;
}

val encoder_create(const val& config, const val& weights) {
  return guarded([&] {
    auto slot = std::make_shared<EncoderSlot>(marshal::config_in(Fields(config)),
                                              format_in(marshal::text(weights)));
    const int id = ++engine().last_id;
    engine().encoders.emplace(id, std::move(slot));
    return val(id);
  });
}

val encoder_config(int id) {
  return guarded([&] { return marshal::config_out(encoder_slot(id)->encoder.config()); });
}

val encoder_shapes(int id) {
  return guarded([&] {
    const val shapes = val::array();
    for (const ParameterShape& shape : encoder_slot(id)->encoder.parameters().shapes()) {
      const val dims = val::array();
      if (!shape.is_vector) marshal::push(dims, val(static_cast<double>(shape.rows)));
      marshal::push(dims, val(static_cast<double>(shape.cols)));
      const val line = val::object();
      marshal::set(line, "name", marshal::text_value(shape.name.c_str()));
      marshal::set(line, "shape", dims);
      marshal::push(shapes, line);
    }
    return shapes;
  });
}

/// `shape` and the range of bytes are whole numbers: JavaScript has checked them.
TensorEntry tensor_in(const Fields& tensor) {
  TensorEntry entry{tensor.word("name"),
                    tensor.word("dtype"),
                    {},
                    static_cast<std::uint64_t>(tensor.number("begin", 0)),
                    static_cast<std::uint64_t>(tensor.number("end", 0))};
  entry.shape = list_in<Index>(tensor.at("shape"), marshal::integer);
  return entry;
}

/// Has a part of the token table stay in JavaScript's memory.
void keep_rows(EncoderSlot& slot, const TensorEntry& entry, const marshal::ArrayBytes& part,
               std::size_t first) {
  const bool whole = loader_of(slot).inspect(entry, part, first);
  if (!slot.table) slot.table = std::make_unique<marshal::ArrayTable>();
  slot.table->append(part);
  if (whole) slot.encoder.parameters().set_rows(std::move(slot.table));
}

val encoder_place(int id, const val& tensor, const val& bytes) {
  return guarded([&] {
    const Fields piece(tensor);
    const marshal::ArrayBytes part(bytes, piece);
    const TensorEntry entry = tensor_in(piece);
    const auto first = static_cast<std::size_t>(piece.number("first", 0));
    const auto slot = encoder_slot(id);
    if (piece.flag("stays", false)) {
      keep_rows(*slot, entry, part, first);
    } else {
      loader_of(*slot).place(entry, part, first);
    }
    return val::undefined();
  });
}

val encoder_initialise(int id, const val& seed) {
  return guarded([&] {
    const auto slot = encoder_slot(id);
    slot->encoder.parameters().initialise(static_cast<std::uint32_t>(marshal::number(seed)));
    complete(*slot);
    return val::undefined();
  });
}

val encoder_finish(int id) {
  return guarded([&] {
    const auto slot = encoder_slot(id);
    loader_of(*slot).finish();
    complete(*slot);
    return val::undefined();
  });
}

val encoder_parameter(int id, const val& name) {
  return guarded([&] {
    const auto slot = encoder_slot(id);
    return marshal::copy_out(finished_encoder(*slot).parameters().read(marshal::text(name)));
  });
}

val encoder_dispose(int id) {
  return guarded([&] {
    engine().encoders.erase(id);
    return val::undefined();
  });
}

MaskChoice mask_in(const std::string& word) {
  if (word == "model") return MaskChoice::kModel;
  if (word == "causal") return MaskChoice::kCausal;
  if (word == "bidirectional") return MaskChoice::kBidirectional;
  fail(ErrorCode::kBadArgument,
       {"mask: '", word, "', expected 'model', 'bidirectional' or 'causal'"});
}

std::vector<TokenSequence> sequences_in(const val& array) {
  return list_in<TokenSequence>(array, [](const val& each) {
    const Fields sequence(each);
    TokenSequence out{marshal::copy_in<std::int32_t>(sequence.at("ids")), {}};
    if (sequence.has("segments")) {
      out.segments = marshal::copy_in<std::int32_t>(sequence.at("segments"));
      require(out.segments.size() == out.ids.size(), ErrorCode::kBadShape,
              "input: ids and segments differ in length");
    }
    return out;
  });
}

std::vector<Gate> gates_in(const val& array) {
  return list_in<Gate>(array, [](const val& each) {
    const Fields gate(each);
    return Gate{gate.count("layer", 0), gate.count("head", 0),
                static_cast<float>(gate.number("gate", 1))};
  });
}

RunRequest request_in(const Fields& fields) {
  RunRequest request;
  request.sequences = sequences_in(fields.at("sequences"));
  request.capture = list_in<Capture>(
      fields.at("capture"), [](const val& name) { return capture_named(marshal::text(name)); });
  if (fields.has("layers")) request.layers = list_in<Index>(fields.at("layers"), marshal::integer);
  request.gates = gates_in(fields.at("gates"));
  request.mask = mask_in(fields.word("mask"));
  if (!fields.at("position").isString()) {
    request.position = marshal::position_in(Fields(fields.at("position")));
  }
  return request;
}

val run_begin(int encoder, const val& object) {
  return guarded([&] {
    auto slot = encoder_slot(encoder);
    Encoder& model = finished_encoder(*slot);
    auto run = std::make_unique<RunSlot>(
        RunSlot{std::move(slot), Run(context(), model, request_in(Fields(object)))});
    const int id = ++engine().last_id;
    engine().runs.emplace(id, std::move(run));
    return val(id);
  });
}

val run_step(int id) {
  return guarded([&] { return val(run_slot(id).run.step()); });
}

val trace_out(const Run& run, Index sequence) {
  static_assert(sizeof(Trace::Entry) == 6 * sizeof(std::int32_t));
  const Trace& trace = run.trace(sequence);
  const auto* fields = reinterpret_cast<const std::int32_t*>(trace.entries().data());
  const val out = val::object();
  marshal::set(out, "data", marshal::copy_out(trace.arena()));
  marshal::set(out, "directory", marshal::copy_out(std::span(fields, trace.entries().size() * 6)));
  marshal::set(out, "pooled", marshal::copy_out(std::span<const float>(run.pooled(sequence))));
  return out;
}

val run_finish(int id) {
  return guarded([&] {
    const Run& run = run_slot(id).run;
    const val out = val::array();
    for (Index i = 0; i < run.sequences(); ++i) marshal::push(out, trace_out(run, i));
    engine().runs.erase(id);
    return out;
  });
}

val run_drop(int id) {
  return guarded([&] {
    engine().runs.erase(id);
    return val::undefined();
  });
}

val analysis_begin(int encoder, const val& object) {
  return guarded([&] {
    auto slot = encoder_slot(encoder);
    Encoder& model = finished_encoder(*slot);
    auto analysis = std::make_unique<AnalysisSlot>(AnalysisSlot{
        std::move(slot), Ablation(context(), model, sequences_in(Fields(object).at("sequences")))});
    const int id = ++engine().last_id;
    engine().analyses.emplace(id, std::move(analysis));
    return val(id);
  });
}

val analysis_similarity(int id, const val& gates) {
  return guarded([&] {
    const auto found = engine().analyses.find(id);
    require(found != engine().analyses.end(), ErrorCode::kAborted, "analysis: it has ended");
    return val(found->second->ablation.similarity(gates_in(gates)));
  });
}

val analysis_end(int id) {
  return guarded([&] {
    engine().analyses.erase(id);
    return val::undefined();
  });
}

val component(const val& name, const val& arguments) {
  return guarded([&] { return compute_component(context(), marshal::text(name), arguments); });
}

}  // namespace
}  // namespace headscope

EMSCRIPTEN_BINDINGS(headscope) {
  using emscripten::function;
  function("heapBytes", &headscope::heap_bytes);
  function("startThreads", &headscope::start_threads);
  function("selfTest", &headscope::self_test);
  function("int8Kernel", &headscope::int8_kernel);
  function("encoderCreate", &headscope::encoder_create);
  function("encoderConfig", &headscope::encoder_config);
  function("encoderShapes", &headscope::encoder_shapes);
  function("encoderPlace", &headscope::encoder_place);
  function("encoderInitialise", &headscope::encoder_initialise);
  function("encoderFinish", &headscope::encoder_finish);
  function("encoderParameter", &headscope::encoder_parameter);
  function("encoderDispose", &headscope::encoder_dispose);
  function("runBegin", &headscope::run_begin);
  function("runStep", &headscope::run_step);
  function("runFinish", &headscope::run_finish);
  function("runDrop", &headscope::run_drop);
  function("component", &headscope::component);
  function("analysisBegin", &headscope::analysis_begin);
  function("analysisSimilarity", &headscope::analysis_similarity);
  function("analysisEnd", &headscope::analysis_end);
}
