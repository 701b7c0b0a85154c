// Compiled, never run: what an engineer writes against the installed package.
import { createEngine, Encoder, HeadscopeError, type Matrix, type Trace } from "headscope";

export async function readAttention(signal: AbortSignal): Promise<Float32Array> {
  const engine = await createEngine({ variant: "auto", threads: 1, worker: false });
  const variant: "relaxed-threads" | "simd-threads" | "relaxed" | "simd" = engine.info.variant;
  const encoder = await Encoder.fromPretrained("use-lite", {
    engine,
    signal,
    onProgress: ({ loaded_bytes, total_bytes, file }) => {
      const line: string = `${file} ${loaded_bytes / (total_bytes || loaded_bytes)} ${variant}`;
      return void line;
    },
  });
  const trace: Trace = await encoder.run("the cat", {
    capture: ["attention", "hidden"],
    layers: [0],
    gates: [{ layer: 0, head: 1, gate: 0 }],
    mask: "causal",
    position: { kind: "sinusoidal", layout: "interleaved" },
  });
  const several: Trace[] = await encoder.run([
    "one",
    { text: "two", pair: "three" },
    { ids: [1, 2] },
  ]);
  const matrix: Matrix = trace.attention(0, 0);
  const vectors: Float32Array[] = await encoder.embed(several.map(({ text }) => text ?? ""));
  encoder.dispose();
  await engine.dispose();
  return vectors[0] ?? matrix.row(0);
}

export async function refusals(encoder: Encoder): Promise<void> {
  // @ts-expect-error an unknown name of a capture
  await encoder.run("a", { capture: ["weights"] });
  // @ts-expect-error layers are numbers
  await encoder.run("a", { layers: ["0"] });
  // @ts-expect-error a variant that does not exist
  await createEngine({ variant: "avx" });
  // @ts-expect-error one text, not a number
  await encoder.run(3);
}

export function codeOf(error: unknown): string {
  return error instanceof HeadscopeError ? error.code : "none";
}
