/** Something that did not happen as the demo expects. The message is the expectation that was not met. */
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
