#include <emscripten/bind.h>
#include <emscripten/heap.h>

#include <memory>
#include <optional>
#include <unordered_map>

#include "analysis/ablation.h"
#include "base/context.h"
#include "bindings/components.h"
#include "bindings/config_marshal.h"
#include "bindings/marshal.h"
#include "io/checkpoint.h"
#include "kernels/int8_kernel.h"
#include "kernels/self_test.h"
#include "model/encoder.h"
#include "model/run.h"

// Every function answers { value } or { error: { code, message } }. Encoders and runs are numbers,
// so that nothing in JavaScript has to be deleted by hand.
namespace headscope {
namespace {

using marshal::guarded;
using marshal::val;

struct EncoderSlot {
  EncoderSlot(const Config& config, WeightFormat format)
      : encoder(config, format), loader(encoder.parameters()) {}
  Encoder encoder;
  CheckpointLoader loader;
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
  std::unordered_map<int, std::shared_ptr<EncoderSlot>> encoders;
  std::unordered_map<int, std::unique_ptr<RunSlot>> runs;
  std::unordered_map<int, std::unique_ptr<AnalysisSlot>> analyses;
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

val heap_bytes() {
  return guarded([] { return val(static_cast<double>(emscripten_get_heap_size())); });
}

val start_threads(int threads) {
  return guarded([&] {
    require(!engine().context, ErrorCode::kInternal,
            "engine: its threads have been started before");
    require(threads >= 1 && threads <= 64, ErrorCode::kBadArgument,
            "engine: threads, expected 1 to 64");
    engine().context.emplace(threads);
    return val(engine().context->threads());
  });
}

val self_test() {
  return guarded([] { return val(kernels_agree()); });
}

val int8_kernel() {
  return guarded(
      [] { return val::u8string(fastest_int8_kernel() == Int8Kernel::kDot ? "dot" : "wide"); });
}

WeightFormat format_in(const std::string& word) {
  if (word == "f32") return WeightFormat::kFloat32;
  if (word == "wide") return WeightFormat::kInt8Wide;
  require(int8_kernel_agrees(Int8Kernel::kDot), ErrorCode::kInternal,
          "encoder: the dot kernel is not right in this engine");
  return WeightFormat::kInt8Dot;
}

val encoder_create(const val& config, const std::string& weights) {
  return guarded([&] {
    auto slot = std::make_shared<EncoderSlot>(marshal::config_in(config), format_in(weights));
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
    val shapes = val::array();
    for (const ParameterShape& shape : encoder_slot(id)->encoder.parameters().shapes()) {
      val dims = val::array();
      if (!shape.is_vector) dims.call<void>("push", static_cast<double>(shape.rows));
      dims.call<void>("push", static_cast<double>(shape.cols));
      val line = val::object();
      line.set("name", val::u8string(shape.name.c_str()));
      line.set("shape", dims);
      shapes.call<void>("push", line);
    }
    return shapes;
  });
}

val encoder_place(int id, const val& tensor, const val& bytes) {
  return guarded([&] {
    TensorEntry entry{tensor["name"].as<std::string>(),
                      tensor["dtype"].as<std::string>(),
                      {},
                      static_cast<std::uint64_t>(tensor["begin"].as<double>()),
                      static_cast<std::uint64_t>(tensor["end"].as<double>())};
    for (std::size_t i = 0; i < marshal::length_of(tensor["shape"]); ++i) {
      entry.shape.push_back(marshal::integer(tensor["shape"][i]));
    }
    if (entry.begin > entry.end || entry.end > marshal::length_of(bytes)) {
      throw Error(ErrorCode::kBadCheckpoint,
                  "checkpoint: \"" + entry.name + "\" lies outside of its file");
    }
    const val part = bytes.call<val>("subarray", static_cast<double>(entry.begin),
                                     static_cast<double>(entry.end));
    encoder_slot(id)->loader.place(entry, marshal::copy_in<std::uint8_t>(part));
    return val::undefined();
  });
}

val encoder_initialise(int id, double seed) {
  return guarded([&] {
    const auto slot = encoder_slot(id);
    slot->encoder.parameters().initialise(static_cast<std::uint32_t>(seed));
    slot->encoder.finish();
    return val::undefined();
  });
}

val encoder_finish(int id) {
  return guarded([&] {
    const auto slot = encoder_slot(id);
    slot->loader.finish();
    slot->encoder.finish();
    return val::undefined();
  });
}

val encoder_parameter(int id, const std::string& name) {
  return guarded([&] {
    const auto slot = encoder_slot(id);
    return marshal::copy_out(finished_encoder(*slot).parameters().read(name));
  });
}

val encoder_dispose(int id) {
  return guarded([&] {
    engine().encoders.erase(id);
    return val::undefined();
  });
}

template <class T, class Read>
std::vector<T> list_in(const val& array, const Read& read) {
  std::vector<T> values;
  for (std::size_t i = 0; i < marshal::length_of(array); ++i) values.push_back(read(array[i]));
  return values;
}

MaskChoice mask_in(const std::string& word) {
  if (word == "model") return MaskChoice::kModel;
  if (word == "causal") return MaskChoice::kCausal;
  if (word == "bidirectional") return MaskChoice::kBidirectional;
  throw Error(ErrorCode::kBadArgument,
              "mask: '" + word + "', expected 'model', 'bidirectional' or 'causal'");
}

std::vector<TokenSequence> sequences_in(const val& array) {
  return list_in<TokenSequence>(array, [](const val& sequence) {
    TokenSequence out{marshal::copy_in<std::int32_t>(sequence["ids"]), {}};
    if (marshal::is_given(sequence["segments"])) {
      out.segments = marshal::copy_in<std::int32_t>(sequence["segments"]);
      require(out.segments.size() == out.ids.size(), ErrorCode::kBadShape,
              "input: ids and segments differ in length");
    }
    return out;
  });
}

std::vector<Gate> gates_in(const val& array) {
  return list_in<Gate>(array, [](const val& gate) {
    return Gate{marshal::integer(gate["layer"]), marshal::integer(gate["head"]),
                gate["gate"].as<float>()};
  });
}

RunRequest request_in(const val& object) {
  RunRequest request;
  request.sequences = sequences_in(object["sequences"]);
  request.capture = list_in<Capture>(
      object["capture"], [](const val& name) { return capture_named(name.as<std::string>()); });
  if (marshal::is_given(object["layers"]))
    request.layers = list_in<Index>(object["layers"], marshal::integer);
  request.gates = gates_in(object["gates"]);
  request.mask = mask_in(object["mask"].as<std::string>());
  if (object["position"].typeOf().as<std::string>() != "string") {
    request.position = marshal::position_in(object["position"]);
  }
  return request;
}

val run_begin(int encoder, const val& object) {
  return guarded([&] {
    auto slot = encoder_slot(encoder);
    Encoder& model = finished_encoder(*slot);
    auto run = std::make_unique<RunSlot>(
        RunSlot{std::move(slot), Run(context(), model, request_in(object))});
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
  val out = val::object();
  out.set("data", marshal::copy_out(trace.arena()));
  out.set("directory", marshal::copy_out(std::span(fields, trace.entries().size() * 6)));
  out.set("pooled", marshal::copy_out(std::span<const float>(run.pooled(sequence))));
  return out;
}

val run_finish(int id) {
  return guarded([&] {
    const Run& run = run_slot(id).run;
    val out = val::array();
    for (Index i = 0; i < run.sequences(); ++i) out.call<void>("push", trace_out(run, i));
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
        std::move(slot), Ablation(context(), model, sequences_in(object["sequences"]))});
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

val component(const std::string& name, const val& arguments) {
  return guarded([&] { return compute_component(context(), name, arguments); });
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
