// The script of Headscope's own worker.

import { supply, workerEnd } from "#platform";
import { serve } from "./worker-service.js";

serve(workerEnd(), supply);
