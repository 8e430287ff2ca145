import * as pulumi from "@pulumi/pulumi";
import { MockMonitor } from "@pulumi/pulumi/runtime/mocks";
import { type Finding, findingText } from "../lifecycle/finding";
import { listed } from "../text/listed";
import { message } from "../text/message";

/** What `pulumi.log` needs of a resource: its URN, also of one that never gets registered. */
interface Named {
  readonly urn: pulumi.Output<string>;
}

/**
 * Lets the resources that a program declares in one go pass together, or none of them: so a pull request sees all
 * findings at once, and nothing is changed when there is one.
 */
class Gate {
  readonly passed: Promise<void>;
  private problems = 0;
  private readonly resources = new Set<string>();

  constructor(onClosed: () => void) {
    // A macrotask ends the synchronous part of the program, in which most programs declare everything.
    this.passed = new Promise((resolve, reject) => {
      setImmediate(() => {
        onClosed();
        if (this.problems === 0) return resolve();
        const refusal = new pulumi.RunError(this.summary());
        // An inline program shares its process: the run ends only when what waits for the gate ends too.
        if (isInlineProgram()) return reject(refusal);
        // Else no rejection: it would reach the user once for each resource, wrapped by the SDK's serialization.
        throw refusal;
      });
    });
  }

  refuse(label: string, resource: Named, findings: readonly Finding[]): void {
    this.problems += findings.length;
    this.resources.add(label);
    for (const finding of findings) {
      // `pulumi.log` reads nothing of a resource but its URN.
      void pulumi.log.error(findingText(finding), resource as pulumi.Resource);
    }
  }

  /** Shows a warning. By the computed URN too: the SDK holds back all later messages until it has this one's. */
  warn(resource: Named, text: string): void {
    void pulumi.log.warn(message(text), resource as pulumi.Resource);
  }

  private summary(): string {
    const problems = this.problems === 1 ? "1 problem" : `${this.problems} problems`;
    const names = listed([...this.resources], { separator: ", " });
    return `${problems} in what the program declares (${names}), each shown with its resource. Nothing was changed.`;
  }
}

/** By stack: inline programs of several stacks may run in one process at a time. */
const open = new Map<string, Gate>();

/** The gate of the resources that are being declared right now. */
export function currentGate(): Gate {
  const stack = `${pulumi.getProject()}/${pulumi.getStack()}`;
  let gate = open.get(stack);
  if (!gate) {
    gate = new Gate(() => open.delete(stack));
    open.set(stack, gate);
  }
  return gate;
}

/** A program of the Automation API that is a function: the SDK's program runner has not started this process. */
function isInlineProgram(): boolean {
  return pulumi.runtime.hasMonitor() && !/[\\/]cmd[\\/]run/.test(process.argv[1] ?? "") && !isUnderMocks();
}

function isUnderMocks(): boolean {
  return pulumi.runtime.getMonitor() instanceof MockMonitor;
}
