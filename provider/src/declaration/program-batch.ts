// Without it: an `up --skip-preview` creates valid resources beside invalid ones, and a preview ends at the first invalid one.
import * as pulumi from "@pulumi/pulumi";
import { type FindingPlace, writeFinding } from "../lifecycle/findings-file";
import type { DeclaredResource, Kind } from "../lifecycle/kind";
import { type Finding, findingText } from "../model/finding";
import { declaredAs } from "../model/urn";
import { withCode } from "../text/message";
import { listed, plural } from "../text/shown";
import { isUnderMocks } from "./internals/monitor";
import { bindOutputs } from "./internals/outputs";
import { resourceAt } from "./internals/resource";
import { isConstruction, sharedRun } from "./internals/shared-run";

/**
 * Lets the resources that a program declares in one go pass together, or none of them: so a pull request sees all
 * findings at once, and nothing is changed when there is one.
 */
export class Batch {
  private readonly isTested = isUnderMocks();
  private readonly verdict: Promise<void>;
  /**
   * Gate that registrations wait for. Its rejection ends them, and the SDK shows it to the user once. Under mocks they
   * are left open instead: there the SDK's rejection would reach no listener, only the test runner.
   */
  readonly passed: Promise<void>;
  private problems = 0;
  private readonly declared: DeclaredResource[] = [];
  /** Checks that need all resources of the batch. */
  private readonly whole: (() => void)[] = [];
  private readonly resources = new Set<string>();

  /** @param run Of which it is a batch; a program that awaits something has several, one after the other. */
  constructor(private readonly run: object) {
    // A macrotask ends the synchronous part of the program, in which most programs declare everything.
    this.verdict = new Promise((resolve, reject) => {
      setImmediate(() => {
        open.delete(run);
        for (const look of this.whole) look();
        if (this.problems > 0) return reject(new RefusedError(this.summary()));
        letThrough.add(run);
        resolve();
      });
    });
    this.verdict.catch(() => undefined);
    this.passed = this.isTested
      ? new Promise((resolve) => this.verdict.then(resolve, () => undefined))
      : this.verdict;
  }

  /** Notes what the program declares; outputs in `args` count as unknown. `rivals`: what refuses it beside others. */
  declare(declared: DeclaredResource, place: FindingPlace, rivals: Kind<unknown, object>["rivals"]): void {
    this.declared.push(declared);
    // Each component that a package constructs fails alone, and so before this.
    if (!rivals || isConstruction()) return;
    const { kind, name, args } = declared;
    this.whole.push(() => {
      const beside = this.declared.filter((one) => one !== declared);
      const found = rivals({ name, values: args, beside });
      if (found.length > 0) this.refuse(declaredAs(kind, name), place, found);
    });
  }

  /** @throws In a packaged component, where a failure that is thrown is the only one that is that component's alone. */
  refuse(label: string, place: FindingPlace, findings: readonly Finding[]): void {
    for (const finding of findings) writeFinding(finding, place);
    if (isConstruction()) throw constructionRefusal(label, findings);
    this.resources.add(label);
    this.problems += findings.length;
    for (const finding of findings) void pulumi.log.error(findingText(finding), resourceAt(place.urn));
  }

  /** Shows a warning by the computed URN, too: the SDK holds back all later messages until it has this one's. */
  warn(place: FindingPlace, finding: Finding): void {
    writeFinding(finding, place);
    void pulumi.log.warn(findingText(finding), resourceAt(place.urn));
  }

  /**
   * Without it an inline program that returns an output of a refused resource never ends, and its stack stays locked. A
   * program with a process of its own ends without its outputs.
   */
  bind(resource: pulumi.Resource): void {
    holdConstruction(resource);
    if (this.isTested || sharedRun() !== undefined) bindOutputs(resource, this.verdict);
  }

  private summary(): string {
    const names = listed([...this.resources], { separator: ", " });
    // Where several run in one process, the SDK tells each of them what it has not caught in any.
    const whose = sharedRun() === undefined ? "" : ` of the stack ${pulumi.getStack()}`;
    return withCode(
      `Failed to declare ${names}${whose}: ${plural(this.problems, "problem")}, each shown with its resource. ${this.change()}.`,
      "program-refused",
    );
  }

  /** Resources of other packages wait for no batch, and what an earlier one has registered stays. */
  private change(): string {
    if (pulumi.runtime.isDryRun()) return "Nothing was changed";
    return letThrough.has(this.run)
      ? "This batch was not applied; resources declared before an await may have been"
      : "No zone was changed";
  }
}

/** The SDK writes the names of inputs before the message of an error that passes through it, each time again. */
class RefusedError extends pulumi.RunError {
  constructor(text: string) {
    super(text);
    Object.defineProperty(this, "message", { get: () => text, set: () => undefined });
  }
}

/** The open batch of each run, by the run's monitor: inline programs may run in one process at a time, of stacks that have the same name in different backends. */
const open = new WeakMap<object, Batch>();

/** Runs of which a batch was registered. */
const letThrough = new WeakSet<object>();

const withoutEngine = {};

/** The resources that are being declared right now: all are registered, or none. */
export function currentBatch(): Batch {
  const run: object = pulumi.runtime.getMonitor() ?? withoutEngine;
  let batch = open.get(run);
  if (!batch) {
    batch = new Batch(run);
    open.set(run, batch);
  }
  return batch;
}

/**
 * Keeps the construction of a packaged component from succeeding before this resource is registered. The SDK answers when no
 * request is pending, and a registration whose input fails is none: whether the failure or the answer is first would be
 * a matter of turns, and after the answer the engine deletes what was not registered.
 */
function holdConstruction(resource: pulumi.Resource): void {
  if (!isConstruction()) return;
  // The URN of a resource that is given up stays open, and with it what is held here. The SDK answers with the failure.
  resource.urn.apply(pulumi.runtime.rpcKeepAlive());
}

/** Creates the error of a declaration that is refused in a packaged component: the SDK passes it to that component. */
function constructionRefusal(label: string, findings: readonly Finding[]): Error {
  const changed = pulumi.runtime.isDryRun()
    ? "Nothing was changed"
    : "It was not changed; the rest of the component and of the program may have been";
  const problems = findings.map(findingText).join("; ");
  return new RefusedError(
    withCode(`Failed to declare ${label}: ${problems}. ${changed}.`, "program-refused"),
  );
}
