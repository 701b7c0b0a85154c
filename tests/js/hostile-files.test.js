// Headers, indices and sets of files that lie: refused by name. The rules of the header one by one are
// in safetensors.test.js.

import { test } from "node:test";
import { Encoder } from "headscope";
import { expectRejection } from "./expect-rejection.js";
import { areRefused, engine, json, tensorsOf, weights, whole } from "./hostile-checkpoint.js";
import { makeCheckpoint } from "./tiny-model.js";
import { joinFile, joinTensors } from "./weight-file.js";

const wq = "layers.0.attention.wq";
const index = "model.safetensors.index.json";
const sharded = await makeCheckpoint(engine, { shards: 2 });
const [first, second] = /** @type {[string, string]} */ (
  Object.keys(sharded).filter((name) => name.endsWith(".safetensors"))
);

test("an index that lies, and files that it does not know, are refused by name", async () => {
  const { weight_map: map } = JSON.parse(new TextDecoder().decode(sharded[index]));
  const tensor = /** @type {string} */ (Object.keys(map).find((name) => map[name] === first));
  const withMap = (/** @type {unknown} */ weight_map) => ({
    ...sharded,
    [index]: json({ weight_map }),
  });
  const { [second]: _, ...missing } = sharded;
  const twice = joinTensors([
    ...tensorsOf(sharded, second),
    ...tensorsOf(sharded, first).filter(({ name }) => name === tensor),
  ]);
  const escaped = new RegExp(tensor.replaceAll(".", "\\."));
  await areRefused([
    [
      "no JSON",
      { ...sharded, [index]: new TextEncoder().encode("{") },
      "bad-checkpoint",
      /index\.json is no JSON/,
    ],
    [
      "no map",
      { ...sharded, [index]: json({}) },
      "bad-checkpoint",
      /index\.json has no weight_map/,
    ],
    ["a list", withMap([first]), "bad-checkpoint", /index\.json has no weight_map/],
    [
      "no names",
      withMap({ ...map, [tensor]: 1 }),
      "bad-checkpoint",
      /names 1, expected a \*\.safetensors file/,
    ],
    [
      "nested",
      withMap({ ...map, [tensor]: [[[]]] }),
      "bad-checkpoint",
      /names Array\(1\), expected/,
    ],
    [
      "up and away",
      withMap({ ...map, [tensor]: "../model.safetensors" }),
      "bad-checkpoint",
      /"\.\.\/model\.safetensors" \(string\), expected/,
    ],
    [
      "an address",
      withMap({ ...map, [tensor]: "http://x/y.safetensors" }),
      "bad-checkpoint",
      /names "http:/,
    ],
    [
      "backwards",
      withMap({ ...map, [tensor]: "..\\x.safetensors" }),
      "bad-checkpoint",
      /expected a \*\.safetensors file/,
    ],
    [
      "another kind",
      withMap({ ...map, [tensor]: "config.json" }),
      "bad-checkpoint",
      /names "config\.json"/,
    ],
    [
      "a file that is not there",
      withMap({ ...map, [tensor]: "other.safetensors" }),
      "not-found",
      /other\.safetensors is missing/,
    ],
    ["a missing shard", missing, "not-found", /model-00002-of-00002\.safetensors is missing/],
    ["stale: another file", withMap({ ...map, [tensor]: second }), "bad-checkpoint", escaped],
    [
      "stale: a tensor more",
      withMap({ ...map, gone: first }),
      "bad-checkpoint",
      /"gone" is not in model-00001/,
    ],
    [
      "stale: a tensor less",
      withMap(Object.fromEntries(Object.entries(map).filter(([name]) => name !== tensor))),
      "bad-checkpoint",
      escaped,
    ],
    [
      "a stray shard",
      { ...sharded, "model-00003-of-00002.safetensors": joinTensors([]) },
      "bad-checkpoint",
      /model-00003-of-00002\.safetensors is not in/,
    ],
    [
      "a tensor in two files",
      { ...sharded, [second]: twice },
      "bad-checkpoint",
      new RegExp(`${escaped.source}" is in ${second}, expected ${first}`),
    ],
    [
      "two files without an index",
      { ...whole, "more.safetensors": joinTensors(tensorsOf(whole).slice(0, 1)) },
      "bad-checkpoint",
      /comes twice/,
    ],
    ["a prototype's name", withMap(JSON.parse(`{"__proto__":"${first}"}`)), "bad-checkpoint", /./],
  ]);
});

test("a file whose header lies is refused by its name, and by the tensor's", async () => {
  const cut = joinTensors(tensorsOf(whole)).slice(0, -1);
  const entry = { dtype: "F32", shape: [1], data_offsets: [0, 4] };
  const file = (/** @type {any} */ json, length = 4) => ({
    ...whole,
    [weights]: joinFile(json, new Uint8Array(length)),
  });
  const deep = `{"${wq}":${"[".repeat(1e5)}${"]".repeat(1e5)}}`;
  await areRefused([
    [
      "empty",
      { ...whole, [weights]: new Uint8Array() },
      "bad-checkpoint",
      /model\.safetensors has 0 bytes/,
    ],
    [
      "no header",
      file("", 0),
      "bad-checkpoint",
      /model\.safetensors has a header that does not begin with \{/,
    ],
    ["cut", { ...whole, [weights]: cut }, "bad-checkpoint", /cut short/],
    [
      "longer",
      { ...whole, [weights]: joinFile({ [wq]: entry }, new Uint8Array(5)) },
      "bad-checkpoint",
      /5 bytes of data, expected 4/,
    ],
    [
      "over 100 MB",
      { ...whole, [weights]: joinFile("{}", new Uint8Array(0), 100_000_001n) },
      "bad-checkpoint",
      /a header of 100000001 bytes, expected at most 2/,
    ],
    [
      "past 2^53",
      { ...whole, [weights]: joinFile("{}", new Uint8Array(0), 2n ** 53n + 1n) },
      "bad-checkpoint",
      /a header of 9007199254740993 bytes/,
    ],
    ["with a byte order mark", file("\ufeff{}", 0), "bad-checkpoint", /does not begin with \{/],
    ["with a space before", file(" {}", 0), "bad-checkpoint", /does not begin with \{/],
    [
      "not UTF-8",
      file(Uint8Array.of(0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d), 0),
      "bad-checkpoint",
      /no JSON in UTF-8/,
    ],
    ["deep", file(deep), "bad-checkpoint", /more than 64 brackets inside each other/],
    [
      "a deep dtype",
      file(
        `{"${wq}":{"dtype":${"[".repeat(70)}${"]".repeat(70)},"shape":[1],"data_offsets":[0,4]}}`,
      ),
      "bad-checkpoint",
      /more than 64 brackets/,
    ],
    [
      "an object for a dtype",
      file({ [wq]: { ...entry, dtype: {} } }),
      "bad-checkpoint",
      /unknown dtype Object/,
    ],
    [
      "twice",
      file(`{"${wq}":${JSON.stringify(entry)},"${wq}":${JSON.stringify(entry)}}`),
      "bad-checkpoint",
      /the key "layers\.0\.attention\.wq" twice/,
    ],
    [
      "negative",
      file({ [wq]: { ...entry, data_offsets: [-4, 0] } }),
      "bad-checkpoint",
      /wq" has data_offsets that are no two whole/,
    ],
    [
      "in fractions",
      file({ [wq]: { ...entry, data_offsets: [0.5, 4.5] } }),
      "bad-checkpoint",
      /wq" has data_offsets/,
    ],
    [
      "past 2^53 in offsets",
      file({ [wq]: { ...entry, data_offsets: [2 ** 53, 2 ** 53 + 4] } }),
      "bad-checkpoint",
      /wq" has data_offsets/,
    ],
    [
      "reversed",
      file({ [wq]: { ...entry, data_offsets: [4, 0] } }),
      "bad-checkpoint",
      /wq" has data_offsets \[4,0\], expected 4 bytes/,
    ],
    [
      "beyond the end",
      file({ [wq]: { ...entry, shape: [2], data_offsets: [0, 8] } }),
      "bad-checkpoint",
      /wq" ends at byte 8 of 4/,
    ],
    [
      "a product past 2^53",
      file({ [wq]: { ...entry, shape: [2 ** 31, 2 ** 31, 2 ** 31] } }),
      "bad-checkpoint",
      /wq" has data_offsets \[0,4\], expected 3\.\d+e\+28 bytes/,
    ],
    [
      "a product of 0 and more",
      file({ [wq]: { ...entry, shape: [2 ** 52, 2 ** 52, 0] } }),
      "bad-checkpoint",
      /wq" has data_offsets \[0,4\], expected 0 bytes/,
    ],
    [
      "a name of a million letters",
      file({ ["x".repeat(1e6)]: entry }),
      "bad-checkpoint",
      /^model\.safetensors: "x+ \.\.\. x+|^checkpoint: "x+ \.\.\. x+/,
    ],
  ]);
});

test("two files of one name are refused: nobody knows which was meant", async () => {
  const named = (/** @type {string} */ name) =>
    Object.assign(new Blob([whole[name] ?? ""]), { name, lastModified: 0 });
  const files = Object.keys(whole).map(named);
  const twice = /** @type {any} */ ([...files, named("config.json")]);
  const message = /^fromPretrained: source\[3\] is another "config\.json"/;
  await expectRejection("bad-argument", message, Encoder.fromPretrained(twice, { engine }));
  const encoder = await Encoder.fromPretrained(/** @type {any} */ (files), { engine });
  encoder.dispose();
});
