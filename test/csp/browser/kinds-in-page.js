// Runs in every page of the test of kinds before anything else. No policy of a page restricts it.
(() => {
  /** @type {{ uri: string, directive: string }[]} */
  const violations = [];
  document.addEventListener("securitypolicyviolation", ({ blockedURI, effectiveDirective }) => {
    violations.push({ uri: blockedURI, directive: effectiveDirective });
  });

  const ended = (element, ...events) =>
    new Promise((resolve) => {
      for (const event of events) element.addEventListener(event, resolve, { once: true });
    });
  const blobUrl = (type) => URL.createObjectURL(new Blob(["0"], { type }));

  async function tryAll(stranger) {
    // Wait, because code that Playwright evaluates may use eval under any policy.
    await new Promise((resolve) =>
      setTimeout(() => {
        // biome-ignore lint/security/noGlobalEval: the test asks whether the policy allows it
        quietly(() => eval("0"));
        resolve();
      }, 0),
    );
    await WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])).catch(() => undefined);
    document.getElementById("handler")?.click();
    await Promise.all([
      ...[`${stranger}/a.woff`, "data:font/woff,x"].map((url) =>
        new FontFace("f", `url(${url})`).load().catch(() => undefined),
      ),
      load("img", blobUrl("image/png")),
      load("iframe", blobUrl("text/html")),
      ...[`${stranger}/a.mp4`, "data:video/mp4,x", blobUrl("video/mp4")].map((url) => load("video", url)),
      ...[
        `${location.origin}/worker.js`,
        "data:text/javascript,postMessage(0)",
        blobUrl("text/javascript"),
      ].map(startWorker),
    ]);
    document.getElementById("form")?.submit();
  }

  function quietly(work) {
    try {
      work();
    } catch {
      // The browser reports the violation.
    }
  }

  function load(name, url) {
    const element = document.createElement(name);
    const loaded = ended(element, "load", "error", "loadeddata");
    element.src = url;
    document.body.append(element);
    return loaded;
  }

  async function startWorker(url) {
    try {
      const worker = new Worker(url);
      const answered = ended(worker, "message", "error");
      // A worker that runs may send no message: then the browser reports nothing.
      await Promise.race([answered, new Promise((resolve) => setTimeout(resolve, 200))]);
      worker.terminate();
    } catch {
      // The browser reports the violation.
    }
  }

  window.kinds = { violations, tryAll };
})();
