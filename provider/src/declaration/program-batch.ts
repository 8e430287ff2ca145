// Registers all resources of a batch or none, so that even `up --skip-preview` applies no part of a batch with an invalid
// resource.
import * as pulumi from "@pulumi/pulumi";
import { type FindingPlace, writeFinding } from "../lifecycle/findings-file";
import type { DeclaredResource, Kind } from "../lifecycle/kind";
import { type Finding, findingText } from "../model/finding";
import { formatDeclaredAs } from "../model/urn";
import { withCode } from "../text/message";
import { enumerate, pluralize } from "../text/shown";
import { isUnderMocks } from "./internals/monitor";
import { bindOutputs } from "./internals/outputs";
import { referTo } from "./internals/resource";
import { isConstruction, sharedRun } from "./internals/shared-run";

/** Resources that a program declares in one go. All their findings are shown at once, and an error prevents every change. */
export class Batch {
  private readonly isTested = isUnderMocks();
  private readonly verdict: Promise<void>;
  /**
   * Promise that registrations wait for. If it is rejected, the registrations end, and the SDK shows the error to the user once.
   * Under mocks, the promise stays pending instead, because only the test runner would notice a rejection.
   */
  readonly passed: Promise<void>;
  private problems = 0;
  private readonly declared: DeclaredResource[] = [];
  /** The checks that need all resources of the batch. */
  private readonly whole: (() => void)[] = [];
  private readonly resources = new Set<string>();

  /** @param run Run of the batch. A program that awaits something has several batches in its run, one after the other. */
  constructor(private readonly run: object) {
    // This macrotask runs after the synchronous part of the program, in which most programs declare everything.
    this.verdict = new Promise((resolve, reject) => {
      setImmediate(() => {
        open.delete(run);
        for (const check of this.whole) check();
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

  /** Adds a resource to the batch. Outputs in `args` are unknown. `rivals`: finds resources that exclude each other. */
  declare(declared: DeclaredResource, place: FindingPlace, rivals: Kind<unknown, object>["rivals"]): void {
    this.declared.push(declared);
    // In a packaged component, this check would come too late: the component fails only if its construction throws an error.
    if (!rivals || isConstruction()) return;
    const { kind, name, args } = declared;
    this.whole.push(() => {
      const beside = this.declared.filter((one) => one !== declared);
      const found = rivals({ name, values: args, beside });
      if (found.length > 0) this.refuse(formatDeclaredAs(kind, name), place, found);
    });
  }

  /** Refuses a resource. In a packaged component, this method throws, because a thrown error makes only that component fail. */
  refuse(label: string, place: FindingPlace, findings: readonly Finding[]): void {
    for (const finding of findings) writeFinding(finding, place);
    if (isConstruction()) throw constructionRefusal(label, findings);
    this.resources.add(label);
    this.problems += findings.length;
    for (const finding of findings) void pulumi.log.error(findingText(finding), referTo(place.urn));
  }

  /** Shows a warning on the computed URN. If the SDK had to wait for the engine's URN, it would hold back all later messages. */
  warn(place: FindingPlace, finding: Finding): void {
    writeFinding(finding, place);
    void pulumi.log.warn(findingText(finding), referTo(place.urn));
  }

  /**
   * Makes the outputs of a resource fail if its batch is refused. Otherwise an inline program that returns an output of a refused
   * resource would never end, and its stack would stay locked. A program with a process of its own ends even while outputs are
   * pending.
   */
  bind(resource: pulumi.Resource): void {
    // Keeps the construction of a packaged component from succeeding before this resource is registered. The SDK reports success
    // when no request is pending, and a registration with a failed input sends no request. After a success, the engine would
    // delete the resources that were not registered. If this resource is never registered, its URN stays pending, so the
    // construction cannot succeed. The SDK reports the error that prevented the registration.
    if (isConstruction()) resource.urn.apply(pulumi.runtime.rpcKeepAlive());
    if (this.isTested || sharedRun() !== undefined) bindOutputs(resource, this.verdict);
  }

  private summary(): string {
    const names = enumerate([...this.resources], { separator: ", " });
    // If several programs run in one process, the SDK reports an uncaught error of one program to all of them.
    const whose = sharedRun() === undefined ? "" : ` of the stack ${pulumi.getStack()}`;
    return withCode(
      `Failed to declare ${names}${whose}: ${pluralize(this.problems, "problem, shown with its resource", "problems, each shown with its resource")}. ${this.change()}.`,
      "program-refused",
    );
  }

  /**
   * Says what was not changed. In an update, something may have changed: resources of other packages do not wait for a batch, and
   * an earlier batch may have been applied.
   */
  private change(): string {
    if (pulumi.runtime.isDryRun()) return "Nothing was changed";
    return letThrough.has(this.run)
      ? "This batch was not applied; resources declared before an await may have been"
      : "No zone was changed";
  }
}

/** An error with a fixed message. The SDK would otherwise prepend names of inputs each time the error passes through it. */
class RefusedError extends pulumi.RunError {
  constructor(text: string) {
    super(text);
    Object.defineProperty(this, "message", { get: () => text, set: () => undefined });
  }
}

/** The open batch of each run, by the run's monitor. Stack names would not do: stacks of two backends can have the same name. */
const open = new WeakMap<object, Batch>();

/** Runs that have registered a batch. */
const letThrough = new WeakSet<object>();

const withoutEngine = {};

/** Returns the batch of the resources that the program is declaring right now. */
export function currentBatch(): Batch {
  const run: object = pulumi.runtime.getMonitor() ?? withoutEngine;
  let batch = open.get(run);
  if (!batch) {
    batch = new Batch(run);
    open.set(run, batch);
  }
  return batch;
}

/** Creates the error for a refused declaration in a packaged component. The SDK passes the error to that component. */
function constructionRefusal(label: string, findings: readonly Finding[]): Error {
  const changed = pulumi.runtime.isDryRun()
    ? "Nothing was changed"
    : "This resource was not changed; the rest of the component and of the program may have been";
  const problems = findings.map(findingText).join("; ");
  return new RefusedError(
    withCode(`Failed to declare ${label}: ${problems}. ${changed}.`, "program-refused"),
  );
}
