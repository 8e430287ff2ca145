/** Something went otherwise than the demo says it must. The message is the expectation that was not met. */
export class Deviation extends Error {
  constructor(message) {
    super(message);
    this.name = "Deviation";
  }
}

/** @throws Deviation with `sentence` unless `holds`. */
export function expect(holds, sentence) {
  if (!holds) throw new Deviation(sentence);
}
