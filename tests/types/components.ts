// Compiled, never run: components and analysis.
import type { Encoder, Engine, Matrix, Trace } from "headscope";
import {
  headImportance,
  headRoles,
  mergeWords,
  permutationResidual,
  pruneCurve,
  rollout,
} from "headscope/analysis";
import {
  alibiBias,
  alibiSlopes,
  attention,
  attentionCost,
  encoderLayer,
  layerNormSteps,
  type MaskLike,
  multiHeadAttention,
  type PositionLike,
  rotary,
  sinusoidalPositions,
} from "headscope/components";

const eye = [
  [1, 0],
  [0, 1],
];
const weights = { heads: 1, wq: eye, wk: eye, wv: eye, wo: eye };

export async function heads(engine: Engine, x: Matrix): Promise<Float32Array> {
  const mask: MaskLike = ["causal", [true, false], { rows: 2, cols: 2, data: [0, 0, 0, 0] }];
  const position: PositionLike = { kind: "rotary", layout: "half", dims: 2 };
  const one = await attention({ query: x, key: eye, value: x, mask, scale: 1 }, { engine });
  const all = await multiHeadAttention({ x, ...weights, mask: [x, x], position, gates: [1] });
  const perHead: Matrix[] = all.weights;
  return perHead[0]?.row(0) ?? one.output.data;
}

export async function layer(x: number[][]): Promise<number> {
  const { heads: count, ...own } = weights;
  const parameters = { ...own, w1: eye, w2: eye, norm1_gamma: Float32Array.of(1, 1) };
  const given = { x, heads: count, norm: "post", activation: "gelu", parameters } as const;
  const { output, normed1 } = await encoderLayer(given);
  const { mean, sum } = await layerNormSteps({ x: output, sublayer: normed1 ?? output });
  const { residual, rows } = await permutationResidual({ ...given, order: [1, 0] });
  return residual + (mean[0] ?? 0) + sum.rows + rows.at(0, 0);
}

export async function positions(): Promise<number> {
  const codes: Matrix = await sinusoidalPositions({ length: 3, d_model: 4, offset: -1 });
  const turned: Matrix = await rotary({ x: codes, positions: [0, 1, 2] });
  const slopes: Float32Array = await alibiSlopes({ heads: 2 });
  const [bias] = await alibiBias({ heads: 2, length: 3, causal: true });
  const { per_head } = await attentionCost({ length: 3, d_model: 4, heads: 2 });
  return turned.at(0, 0) + (slopes[0] ?? 0) + (bias?.rows ?? 0) + per_head.score_operations;
}

export async function roles(encoder: Encoder, traces: Trace[]): Promise<string[]> {
  const important = await headImportance(encoder, ["a"], { method: "ablation" });
  const curve = await pruneCurve(encoder, ["a"], { order: important });
  const flow: Matrix = rollout(mergeWords(traces[0] as Trace));
  const labels = headRoles(traces).map(({ label, separator }) => `${label} ${separator ?? 0}`);
  return [
    ...labels,
    ...curve.map(({ removed, similarity }) => `${removed} ${similarity * flow.rows}`),
  ];
}

// @ts-expect-error a key is missing
export const missing = attention({ query: eye, value: eye });
// @ts-expect-error no such layout
export const layout = sinusoidalPositions({ length: 1, d_model: 2, layout: "half" });
// @ts-expect-error no such option
export const option = alibiSlopes({ heads: 1 }, { signal: AbortSignal.abort() });
