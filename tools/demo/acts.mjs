import { actOne } from "./act-one.mjs";
import { actThree } from "./act-three.mjs";
import { actTwo } from "./act-two.mjs";

/** Acts of the demo, in order. An act is `{ title, play(stage) }` and creates its own zone and its own stack. */
export const acts = [actOne, actTwo, actThree];
