// Compiled, never run: the inlined engine has the same names, and the elements can be imported.
import type * as whole from "headscope";
import "headscope/elements";
import * as inline from "headscope/inline";

export const same: Pick<typeof whole, "createEngine" | "defaultEngine"> = inline;
export const load: () => Promise<whole.Encoder> = () => inline.Encoder.fromPretrained();
