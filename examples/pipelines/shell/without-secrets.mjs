// Takes out of a stack's settings what only its passphrase could open, in the working copy of this job. The program finds
// a text in place of each secret.
import { readFileSync, writeFileSync } from "node:fs";

const [file] = process.argv.slice(2);
const settings = readFileSync(file, "utf8")
  .replace(/^(encryptionsalt|encryptedkey|secretsprovider):.*\n?/gm, "")
  .replace(/(:\s*\n\s*|- |: \{ ?)secure: [^\s}]+( ?\})?/g, (_all, before) =>
    before.startsWith("-") ? '- "secret, not known here"' : ': "secret, not known here"',
  );
writeFileSync(file, settings);
