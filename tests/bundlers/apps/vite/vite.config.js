// Relative addresses, so that the app may lie under any path.
export default { base: "./", build: { outDir: "out" } };
