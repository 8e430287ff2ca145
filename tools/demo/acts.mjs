import { actOne } from "./act-one.mjs";
import { actThree } from "./act-three.mjs";
import { actTwo } from "./act-two.mjs";

/** What the demo plays, in this order. An act: `{ title, play(stage) }`; it makes its own zone and its own stack. */
export const acts = [actOne, actTwo, actThree];
