import { createContext, Script } from "node:vm";

const mostCharacters = 200;
/** Much more than a match takes, also on a busy machine. */
const mostMs = 250;

const sandbox: { pattern?: RegExp; text?: string } = {};
const context = createContext(sandbox);
const script = new Script("pattern.test(text)");

/**
 * A regular expression that another process has sent. Some take forever on a crafted path; this one is aborted
 * after some milliseconds, and then matches nothing.
 */
export class BoundedPattern extends RegExp {
  constructor(source: string) {
    if (source.length > mostCharacters) {
      throw new Error(`A pattern has at most ${mostCharacters} characters.`);
    }
    super(source);
  }

  override test(text: string): boolean {
    sandbox.pattern = new RegExp(this.source);
    sandbox.text = text;
    try {
      return script.runInContext(context, { timeout: mostMs }) === true;
    } catch {
      return false;
    }
  }
}
