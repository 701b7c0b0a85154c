// Compiled, never run: traces without an engine.
import { Matrix, Trace } from "headscope/trace";

export function roundTrip(bytes: Uint8Array): number {
  const trace = Trace.fromBytes(bytes);
  const again: Uint8Array = trace.toBytes({ dtype: "F16" });
  const names: readonly string[] = trace.names;
  const weights = trace.has("attention") ? trace.get("attention", 0, 0) : trace.attention(0, 0);
  const span: [number, number] = [trace.tokens[0].start, trace.tokens[0].end];
  return again.length + names.length + weights.at(0, 0) + span[0];
}

export function fromElsewhere(attention: Float32Array): Trace {
  return Trace.from({ tokens: ["a", "b"], attention, n_layers: 1, n_heads: 1 });
}

export function isMatrix(value: unknown): value is Matrix {
  return value instanceof Matrix;
}

// @ts-expect-error another dtype than the format's two
export const wrong = (trace: Trace) => trace.toBytes({ dtype: "F8" });
