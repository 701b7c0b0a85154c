import { compute } from "./compute.js";
import { show } from "./show.js";

show(compute("the cat sat on the mat"));
