/** What has come of a job, or of the steps of one so far. */
export type Status = "success" | "failure" | "skipped";

/** Evaluates what stands in a workflow between `${{` and `}}`, with GitHub's own evaluator. */
export class Expressions {
  private constructor(
    private readonly evaluated: (text: string, contexts: object, status: Status) => string,
  ) {}

  static async load(): Promise<Expressions> {
    const { data, Evaluator, Lexer, Parser } = await import("@actions/expressions");
    const answers: Readonly<Record<string, (status: Status) => boolean>> = {
      always: () => true,
      cancelled: () => false,
      success: (status) => status === "success",
      failure: (status) => status === "failure",
    };
    return new Expressions((text, contexts, status) => {
      const functions = Object.entries(answers).map(([name, is]) => ({
        ...{ name, minArgs: 0, maxArgs: 0 },
        call: () => new data.BooleanData(is(status)),
      }));
      const tree = new Parser(new Lexer(text).lex().tokens, Object.keys(contexts), functions).parse();
      const known = JSON.parse(JSON.stringify(contexts), data.reviver);
      return new Evaluator(tree, known, new Map(functions.map((one) => [one.name, one])))
        .evaluate()
        .coerceString();
    });
  }

  substituted(text: string, contexts: object): string {
    return text.replace(/\$\{\{(.+?)\}\}/g, (_all, inner: string) =>
      this.evaluated(inner.trim(), contexts, "success"),
    );
  }

  /** Whether an `if` holds. One that asks nothing of what came before holds only after success. */
  holds(condition: string | undefined, contexts: object, status: Status): boolean {
    const text = /^\s*\$\{\{(.+)\}\}\s*$/s.exec(condition ?? "")?.[1] ?? condition ?? "success()";
    const asks = /\b(always|cancelled|success|failure)\(\)/.test(text);
    return this.evaluated(asks ? `!!(${text})` : `success() && !!(${text})`, contexts, status) === "true";
  }
}
