const commands = [
  "run",
  "preview",
  "previewText",
  "expectEmptyPreview",
  "up",
  "upFails",
  "refresh",
  "seesDrift",
  "expectNoDrift",
  "destroy",
  "fails",
];
const command = new RegExp(`\\bstack\\.(?:${commands.join("|")})\\(`, "g");

/** About how many commands of the CLI a story runs: counted in its text, so those of a loop once. */
export function stepsOf(story: (...given: never[]) => unknown): number {
  return [...story.toString().matchAll(command)].length;
}
