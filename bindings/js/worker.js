// The script of Headscope's own worker.

import { workerSide } from "#platform";
import { serve } from "./worker-service.js";

const { end, supply } = workerSide();
serve(end, supply);
