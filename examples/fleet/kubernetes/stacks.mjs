// Prints the Stacks of the Pulumi Kubernetes Operator for all zones: node kubernetes/stacks.mjs > stacks.yaml
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { parse, stringify } from "yaml";

/** Yours. */
const place = {
  namespace: "page-guard",
  projectRepo: "https://git.example/shop/page-guard.git",
  branch: "main",
  repoDir: "examples/fleet",
  backend: "s3://page-guard-state?region=eu-central-1",
  image: "pulumi/pulumi:3.259.0-nonroot",
  /** The Kubernetes secret with PAGE_GUARD_API_TOKEN and PULUMI_CONFIG_PASSPHRASE. */
  secret: "page-guard",
};
const day = 86_400;

const file = process.argv[2] ?? new URL("../zones.yaml", import.meta.url);
const zones = parse(readFileSync(file, "utf8")).map((zone) => ({ wave: 1, ...zone }));
const stacks = zones.flatMap((zone) =>
  isFinishing(zone) ? [driftStack(zone)] : [applyStack(zone), driftStack(zone)],
);
process.stdout.write(stacks.map((stack) => stringify(stack)).join("---\n"));

/** Applies what is on the branch, after all zones of the wave before. */
function applyStack(zone) {
  return stackOf(zone, nameOf(zone), {
    prerequisites: before(zone).map((other) => ({
      name: isFinishing(other) ? driftNameOf(other) : nameOf(other),
    })),
    // Left for a person: after a failure nothing is tried again before the branch changes.
    retryMaxBackoffDurationSeconds: day,
  });
}

/** Each night: a preview, which never updates, and fails on a difference. */
function driftStack(zone) {
  return stackOf(zone, driftNameOf(zone), {
    preview: true,
    refresh: true,
    // The operator 2.9 does not pass the first on; the second does what it says.
    expectNoRefreshChanges: true,
    updateTemplate: { spec: { expectNoChanges: true } },
    continueResyncOnCommitMatch: true,
    resyncFrequencySeconds: day,
  });
}

function stackOf(zone, name, spec) {
  const { namespace, projectRepo, branch, repoDir, backend, image, secret } = place;
  const fromSecret = (key) => ({ type: "Secret", secret: { name: secret, key } });
  return {
    apiVersion: "pulumi.com/v1",
    kind: "Stack",
    metadata: { name, namespace },
    spec: {
      ...{ stack: `organization/page-guard-fleet/${zone.name}`, backend, projectRepo, branch, repoDir },
      ...spec,
      // Deleting a Stack deletes no protection of a shop.
      destroyOnFinalize: false,
      workspaceReclaimPolicy: "Delete",
      envRefs: {
        PAGE_GUARD_API_TOKEN: fromSecret("PAGE_GUARD_API_TOKEN"),
        PULUMI_CONFIG_PASSPHRASE: fromSecret("PULUMI_CONFIG_PASSPHRASE"),
        // Each pod counts for itself, so each gets its part of the 1,200 requests in five minutes.
        PAGE_GUARD_MAX_REQUESTS_PER_5M: { type: "Literal", literal: { value: String(partOfLimit()) } },
      },
      workspaceTemplate: { spec: { image } },
    },
  };
}

/** A finish cannot be undone: `page-guard fleet apply` does it, held to an approval, and no operator that tries again. */
function isFinishing({ stage }) {
  return stage === "finished";
}

function before({ wave }) {
  const last = Math.max(...zones.map((zone) => zone.wave).filter((other) => other < wave));
  return zones.filter((zone) => zone.wave === last);
}

function partOfLimit() {
  return Math.max(1, Math.floor(1200 / zones.length));
}

function driftNameOf(zone) {
  return `${nameOf(zone)}-drift`;
}

/** Kubernetes takes small letters, digits and dashes; the operator at most 42 of them, of which "-drift" takes 6. */
function nameOf({ name }) {
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9-]/g, "-")
    .replace(/-+$/, "");
  if (plain === name && name.length <= 36) return name;
  const digest = createHash("sha256").update(name).digest("hex").slice(0, 8);
  return `${plain.slice(0, 27)}-${digest}`;
}
