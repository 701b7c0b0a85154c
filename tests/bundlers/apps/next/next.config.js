export default { output: "export", distDir: "out", basePath: "/some/where" };
