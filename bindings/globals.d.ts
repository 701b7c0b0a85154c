// What the build puts in: the package's version, and modules that are generated.

declare const __HEADSCOPE_VERSION__: string;

declare module "#models" {
  export const models: Record<string, Record<string, () => URL> | undefined>;
  export const defaultModel: string;
}

declare module "#wasm/*" {
  export const stamp: string;
  const createHeadscope: import("./js/module.js").ModuleFactory;
  export default createHeadscope;
}

declare module "#inline/*.wasm" {
  const bytes: Uint8Array;
  export default bytes;
}

declare module "#inline/*.js" {
  const createHeadscope: import("./js/module.js").ModuleFactory;
  export default createHeadscope;
}

declare module "#inline/worker" {
  const text: string;
  export default text;
}
