/** The result of a job, or of its steps so far. */
export type Status = "success" | "failure" | "skipped";

/** Evaluates the text between `${{` and `}}` in a workflow, with GitHub's own evaluator. */
export class Expressions {
  private constructor(
    private readonly evaluate: (text: string, contexts: object, status: Status) => string,
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
        name,
        minArgs: 0,
        maxArgs: 0,
        call: () => new data.BooleanData(is(status)),
      }));
      const tree = new Parser(new Lexer(text).lex().tokens, Object.keys(contexts), functions).parse();
      const known = JSON.parse(JSON.stringify(contexts), data.reviver);
      return new Evaluator(tree, known, new Map(functions.map((one) => [one.name, one])))
        .evaluate()
        .coerceString();
    });
  }

  substitute(text: string, contexts: object): string {
    return text.replace(/\$\{\{(.+?)\}\}/g, (_all, inner: string) =>
      this.evaluate(inner.trim(), contexts, "success"),
    );
  }

  /** Whether an `if` holds. Without a function such as `always()`, it holds only after success. */
  holds(condition: string | undefined, contexts: object, status: Status): boolean {
    const text = /^\s*\$\{\{(.+)\}\}\s*$/s.exec(condition ?? "")?.[1] ?? condition ?? "success()";
    const asks = /\b(always|cancelled|success|failure)\(\)/.test(text);
    return this.evaluate(asks ? `!!(${text})` : `success() && !!(${text})`, contexts, status) === "true";
  }
}
