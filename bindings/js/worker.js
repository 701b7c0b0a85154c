// The script of Headscope's own worker.

import { engineSupply, workerEnd } from "#platform";
import { serve } from "./worker-service.js";

serve(workerEnd(), engineSupply);
