/** A flag of `pulumi up` or `pulumi preview`. */
export interface KnownFlag {
  readonly short: string | undefined;
  /** Also as the next argument. A switch takes a value only after `=`. */
  readonly takesValue: boolean;
  /** `preview` refuses it. */
  readonly isOfUpAlone: boolean;
}

// From `pulumi gen-completion bash` of the pinned engine; a test compares.
const withValue =
  "color config,c config-file cwd,C exclude,x import-file memprofilerate message,m otel-traces override-env parallel,p policy-pack policy-pack-config profiling replace save-plan secrets-provider stack,s target,t target-replace tracing verbose,v";
const switches =
  "attach-debugger config-path continue-on-error debug,d diff disable-integrity-checking emoji,e exclude-dependents expect-no-changes fully-qualify-stack-names,Q ignore-protect json,j logflow logtostderr neo non-interactive refresh,r run-program show-config show-full-output show-policy-remediations show-reads show-replacement-steps show-sames show-secrets skip-config-validation skip-plugin-pre-install skip-preview,f strict suppress-outputs suppress-permalink suppress-progress target-dependents urns yes,y";
const ofUpAlone = new Set(["continue-on-error", "secrets-provider", "skip-preview", "strict", "yes"]);

/** By their long names. */
export const knownFlags: ReadonlyMap<string, KnownFlag> = new Map([
  ...listed(withValue, true),
  ...listed(switches, false),
]);

function listed(flags: string, takesValue: boolean): [string, KnownFlag][] {
  return flags.split(" ").map((flag) => {
    const [name = "", short] = flag.split(",");
    return [name, { short, takesValue, isOfUpAlone: ofUpAlone.has(name) }];
  });
}
