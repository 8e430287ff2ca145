import assert from "node:assert/strict";
import { readConsoleMessage } from "../../command/src/explain/console-message";
import { pageGuard, printed } from "./support/console";

const url = "https://evil.example/x.js?a=b";
const fallback = "Note that 'script-src-elem' was not explicitly set, so 'script-src' is used as a fallback.";

/** Messages of browsers, each after its directive and URL. `-` means no directive. */
const said = [
  ...`
# Chrome and Edge before 140, then since.
script-src-elem ${url}
  Refused to load the script '${url}' because it violates the following Content Security Policy directive: "script-src 'self' https://cdn.example.com". ${fallback}
img-src ${url}
  pay:14 [Report Only] Refused to load the image '${url}' because it violates the following Content Security Policy directive: "img-src 'self'".
connect-src wss://evil.example/ws
  Refused to connect to 'wss://evil.example/ws' because it violates the following Content Security Policy directive: "default-src 'self'". Note that 'connect-src' was not explicitly set, so 'default-src' is used as a fallback.
frame-ancestors https://shop.example.com/
  Refused to frame 'https://shop.example.com/' because an ancestor violates the following Content Security Policy directive: "frame-ancestors 'none'".
form-action ${url}
  Refused to send form data to '${url}' because it violates the following Content Security Policy directive: "form-action 'self'".
script-src inline
  Refused to execute inline script because it violates the following Content Security Policy directive: "script-src 'self'". Either the 'unsafe-inline' keyword, a hash ('sha256-x='), or a nonce ('nonce-...') is required to enable inline execution.
script-src-attr inline
  Refused to execute inline event handler because it violates the following Content Security Policy directive: "script-src 'self'".
style-src inline
  Refused to apply inline style because it violates the following Content Security Policy directive: "style-src 'self'".
script-src eval
  Uncaught EvalError: Refused to evaluate a string as JavaScript because 'unsafe-eval' is not an allowed source of script in the following Content Security Policy directive: "script-src 'self'".
script-src wasm-eval
  CompileError: WebAssembly.instantiate(): Refused to compile or instantiate WebAssembly module because 'unsafe-eval' is not an allowed source of script in the following Content Security Policy directive: "script-src 'self'"
script-src-elem ${url}
  Loading the script '${url}' violates the following Content Security Policy directive: "script-src 'self'". ${fallback} The action has been blocked.
connect-src ${url}
  Connecting to '${url}' violates the following Content Security Policy directive: "connect-src 'self'". The action has been blocked.
script-src inline
  Executing inline script violates the following Content Security Policy directive 'script-src 'self''. Either the 'unsafe-inline' keyword, a hash ('sha256-x='), or a nonce ('nonce-...') is required to enable inline execution. The action has been blocked.
script-src eval
  Evaluating a string as JavaScript violates the following Content Security Policy directive because 'unsafe-eval' is not an allowed source of script: script-src 'self'".
media-src ${url}
  Loading media from  '${url}' violates the following Content Security Policy directive: "default-src 'self' 'unsafe-inline'". Note that 'media-src' was not explicitly set, so 'default-src' is used as a fallback. The action has been blocked.
frame-src ${url}
  Framing '${url}' violates the following report-only Content Security Policy directive: "frame-src 'self'". The violation has been logged, but no further action has been taken.
script-src ${url}
  Loading the script '${url}' violates the following Content Security Policy directive: "script-src 'self' https://cdn.example.com/(foo-bar)/". The action has been blocked.
img-src data:image/svg+xml,<svg viewBox="0 0 1 1"/>
  Loading the image 'data:image/svg+xml,<svg viewBox="0 0 1 1"/>' violates the following Content Security Policy directive: "img-src 'self'". The action has been blocked.
style-src-attr inline
  Applying inline style violates the following Content Security Policy directive 'style-src 'self''. Either the 'unsafe-inline' keyword, a hash ('sha256-x='), or a nonce ('nonce-...') is required to enable inline execution. Note that hashes do not apply to event handlers, style attributes and javascript: navigations unless the 'unsafe-hashes' keyword is present.
script-src inline
  Applying inline speculation rules violates the following Content Security Policy directive 'script-src 'self''. The action has been blocked.
- https://evil.example/script.js?a=b
  Fetch API cannot load https://evil.example/script.js?a=b. Refused to connect because it violates the document's Content Security Policy.
- blob:https://shop.example.com/9a
  Uncaught SecurityError: Failed to construct 'Worker': Access to the script at 'blob:https://shop.example.com/9a' is denied by the document's Content Security Policy.
frame-ancestors ${url}
  Refused to display '${url}' in a frame because an ancestor violates the following Content Security Policy directive: "frame-ancestors 'none'".
frame-ancestors
  Refused to frame '' because an ancestor violates the following Content Security Policy directive: "frame-ancestors 'none'".
# Firefox before 127, then since.
script-src ${url}
  Content Security Policy: The page’s settings blocked the loading of a resource at ${url} (“script-src”).
script-src-elem inline
  Content Security Policy: The page’s settings blocked the loading of a resource at inline (“script-src-elem”).
script-src inline
  Content Security Policy: The page’s settings blocked the loading of a resource at self (“script-src”). Source: onclick attribute on A element.
img-src ${url}
  Content Security Policy: The page's settings blocked the loading of a resource at ${url} ("img-src").
script-src-elem ${url}
  Content-Security-Policy: The page’s settings blocked a script (script-src-elem) at ${url} from being executed because it violates the following directive: “script-src 'self' https://cdn.example.com”
connect-src ${url}
  Content-Security-Policy: (Report-Only policy) The page’s settings would block the loading of a resource (connect-src) at ${url} because it violates the following directive: “connect-src 'self'”
script-src-elem inline
  Content-Security-Policy: The page’s settings blocked an inline script (script-src-elem) from being executed because it violates the following directive: “script-src https://github.githubassets.com/”. Consider using a hash ('sha256-x=') or a nonce.
script-src-attr inline
  Content-Security-Policy: The page’s settings blocked an event handler (script-src-attr) from being executed because it violates the following directive: “script-src 'self'”
script-src eval
  Content-Security-Policy: The page’s settings blocked a JavaScript eval (script-src) from being executed because it violates the following directive: “script-src 'self'” (Missing 'unsafe-eval')
# Safari.
script-src ${url}
  [Error] Refused to load ${url} because it does not appear in the script-src directive of the Content Security Policy. (pay, line 0)
style-src ${url}
  Refused to load ${url} because it appears in neither the style-src directive nor the default-src directive of the Content Security Policy.
connect-src ${url}
  [Error] Refused to connect to ${url} because it does not appear in the connect-src directive of the Content Security Policy.
script-src inline
  Refused to execute a script because its hash, its nonce, or 'unsafe-inline' does not appear in the script-src directive of the Content Security Policy.
script-src eval
  Refused to execute a script because 'unsafe-eval' appears in neither the script-src directive nor the default-src directive of the Content Security Policy.
style-src inline
  Refused to apply a stylesheet because its hash, its nonce, or 'unsafe-inline' appears in neither the style-src directive nor the default-src directive of the Content Security Policy.
`.matchAll(/^([a-z-]+)(?: (.*))?\n {2}(.*)$/gm),
].map(([, word = "", named = "", message = ""]) => ({ message, named, directive: word === "-" ? "" : word }));

const page = "https://shop.example.com/pay";
const own = "script-src 'self'; connect-src 'self'; frame-ancestors 'none'";
const asked = (text: string, policy = own, stdin = text) =>
  pageGuard(["explain", "--policy", policy, "--page", page, ...(stdin === text ? [text] : ["-"])], { stdin });

describe("page-guard explain with a pasted console message", () => {
  for (const { message, named, directive } of said)
    it(`given ${message.slice(0, 70)}…, then explains ${named} and ${directive || "no directive"}`, () => {
      const read = readConsoleMessage(message);
      assert.deepEqual([read?.url, read?.directive], [named, directive]);
    });

  it("given a message, then compares its URL with its directive, also from standard input", async () => {
    const [message = "", , connection = ""] = said.map((one) => one.message);
    const out = await printed(asked(message), 2);
    assert.match(
      out,
      /^blocked {2}script https:\/\/evil\S+x\.js\?a=b\n {2}given as Refused .*\n {2}no source/,
    );
    const two = await printed(asked("", undefined, `${message}\n${connection}\nnothing of the kind\n`), 2);
    assert.match(two, /^blocked {2}connection wss:\/\/evil\.example\/ws$/m);
    const other = "nothing of the kind is neither a URL nor a message from a browser's console (line 3).";
    assert.ok(two.includes(`\nNot explained: 1 entry is not a violation report; the first: ${other}\n`), two);
    assert.match(two, /^2 blocked\.$/m);
  });

  it("given a message without a directive, with default-src, or cut after its URL, then takes the kind from its words", () => {
    const violates = "violates the following Content Security Policy directive";
    const kinds = `
connection | Fetch API cannot load ${url}. Refused to connect because it violates the document's CSP directive.
script | Access to the script at 'blob:x' is denied by the worker's Content Security Policy.
worker | Failed to construct 'Worker': Access to the script at 'blob:x' is denied by the document's Content Security Policy.
script | Evaluating a string as JavaScript ${violates} because 'unsafe-eval' is not an allowed source of script: default-src 'self'".
script | Executing inline script ${violates} 'default-src 'self' 'nonce-a''. Note that 'unsafe-inline' is ignored.
style | Applying inline style ${violates} 'default-src 'self' 'nonce-a''. Note that 'unsafe-inline' is ignored.
undefined | Fetching content from '${url}' ${violates}: "default-src 'self'".
script | Refused to load the script '${url}' because …
image | Refused to load the image '${url}' because …
font | Refused to load the font '${url}' because …
connection | Refused to connect to '${url}' because …
frame | Refused to frame '${url}' because …`;
    for (const [, kind, message = ""] of kinds.matchAll(/^(\w+) \| (.*)$/gm))
      assert.equal(`${readConsoleMessage(message)?.kind}`, kind, message);
  });

  it("given a host, or a URL in quotes or angle brackets, then compares and shows that URL", async () => {
    const url = "https://js.stripe.com/v3/";
    for (const text of ["js.stripe.com/v3/", `'${url}'`, '"js.stripe.com/v3/"', `<${url}>`]) {
      const out = await printed(asked(text), 2);
      assert.match(out, /^blocked {2}script https:\/\/js\.stripe\.com\/v3\/.*\n {2}given as /, text);
      assert.equal(await printed(asked("", undefined, `${text}\n`), 2), out, text);
    }
    assert.equal((await asked("js.stripe.com/v3/", "script-src js.stripe.com")).code, 0);
  });

  it("given any other text, then refuses it and exits with 1", async () => {
    for (const text of [
      ...["https:/evil.example/x.js", "https//evil.example/x.js", "a.js", "script-src 'self'", "what?"],
      "https://evil.example/x.js because it is bad",
      "Refused to load, because of the Content Security Policy.",
      "Content-Security-Policy: Ignoring “'unsafe-inline'” within script-src: nonce-source or hash-source specified",
      "Content-Security-Policy: Die Einstellungen der Seite haben ein Skript (script-src-elem) auf https://a.example/x.js blockiert",
      "The source list for the Content Security Policy directive 'script-src' contains an invalid source: 'x'. It will be ignored.",
      "Refused to create a TrustedTypePolicy named 'my.policy' because it violates the following Content Security Policy directive: \"trusted-types a\".",
      "[Error] Blocked mixed content http://a.example/script.js because 'block-all-mixed-content' appears in the Content Security Policy.",
      "Refused to execute script from 'https://a.example/x.js' because its MIME type is not executable.",
    ]) {
      const err = await printed(asked(text), 1);
      assert.ok(err.includes(`${text} is neither a URL nor an English message from a browser`), err);
    }
    assert.match(await printed(asked(""), 1), /An empty argument is neither a URL/);
  });
});
