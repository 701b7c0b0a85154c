import { fileURLToPath } from "node:url";

/** Where the models that are measured lie; `writeModels` puts them there. */
export const modelsFolder = fileURLToPath(new URL("../../build/bench/models/", import.meta.url));
