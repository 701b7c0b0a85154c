// Writes ONNX graphs, node by node.
import onnxProto from "onnx-proto";

const { onnx } = onnxProto;

/** Numbers of ONNX's element types. */
export const elementType = /** @type {const} */ ({ float: 1, int8: 3, int32: 6, int64: 7 });

/** The domain of the operators that onnxruntime adds to ONNX's own. */
export const contributed = "com.microsoft";

/** @typedef {{ name: string, type: number, dims: (string | number)[] }} Value */

/** @typedef {{ name: string, type: number, i?: number, f?: number, ints?: number[] }} Attribute */

/** A graph that grows by one node or one constant at a time; values are named by strings. */
export class OnnxGraph {
  /** @type {object[]} */
  #nodes = [];
  /** @type {Map<string, object>} */
  #constants = new Map();
  #made = 0;

  /**
   * Constants in the graph itself. A second one of the same name is the first.
   *
   * @param {string} name
   * @param {number[]} dims
   * @param {Float32Array | Int8Array | BigInt64Array} values
   * @returns {string} the name
   */
  constant(name, dims, values) {
    const rawData = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    return this.#add(name, { name, dims, dataType: typeOf(values), rawData });
  }

  /**
   * Floats of another file, which lie there one after another.
   *
   * @param {string} name
   * @param {number[]} dims
   * @param {{ file: string, offset: number, length: number }} place in bytes
   * @returns {string} the name
   */
  external(name, dims, { file, offset, length }) {
    const externalData = Object.entries({ location: file, offset, length }).map(([key, value]) => ({
      key,
      value: String(value),
    }));
    const dataLocation = onnx.TensorProto.DataLocation.EXTERNAL;
    return this.#add(name, { name, dims, dataType: elementType.float, dataLocation, externalData });
  }

  /** A constant without dimensions. @param {string} name @param {number} value */
  scalar(name, value) {
    return this.constant(name, [], Float32Array.of(value));
  }

  /** A list of whole numbers. @param {string} name @param {number[]} values */
  integers(name, values) {
    return this.constant(name, [values.length], BigInt64Array.from(values, BigInt));
  }

  /**
   * @param {string} opType
   * @param {string[]} input
   * @param {{ attributes?: Record<string, number | number[]>, floats?: Record<string, number>,
   *   domain?: string, output?: string }} [options] attributes: whole numbers
   * @returns {string} its output
   */
  node(opType, input, { attributes = {}, floats = {}, domain = "", output } = {}) {
    const made = output ?? `value_${++this.#made}`;
    /** @type {Attribute[]} */
    const attribute = Object.entries(attributes).map(([name, value]) =>
      Array.isArray(value) ? { name, type: 7, ints: value } : { name, type: 2, i: value },
    );
    for (const [name, f] of Object.entries(floats)) attribute.push({ name, type: 1, f });
    const name = `${opType}_${this.#nodes.length}`;
    this.#nodes.push({ name, opType, domain, input, output: [made], attribute });
    return made;
  }

  /**
   * @param {Value[]} inputs
   * @param {Value[]} outputs
   * @returns {Uint8Array} the file
   */
  encode(inputs, outputs) {
    const model = onnx.ModelProto.fromObject({
      irVersion: 8,
      producerName: "headscope-bench",
      opsetImport: [
        { domain: "", version: 17 },
        { domain: contributed, version: 1 },
      ],
      graph: {
        name: "encoder",
        node: this.#nodes,
        initializer: [...this.#constants.values()],
        input: inputs.map(describe),
        output: outputs.map(describe),
      },
    });
    return onnx.ModelProto.encode(model).finish();
  }

  /** @param {string} name @param {object} constant */
  #add(name, constant) {
    if (!this.#constants.has(name)) this.#constants.set(name, constant);
    return name;
  }
}

/** @param {Float32Array | Int8Array | BigInt64Array} values */
function typeOf(values) {
  if (values instanceof Float32Array) return elementType.float;
  return values instanceof Int8Array ? elementType.int8 : elementType.int64;
}

/** @param {Value} value */
function describe({ name, type, dims }) {
  const dim = dims.map((size) =>
    typeof size === "string" ? { dimParam: size } : { dimValue: size },
  );
  return { name, type: { tensorType: { elemType: type, shape: { dim } } } };
}
