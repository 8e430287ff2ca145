// Runs in every page of the test of kinds before anything else, whatever the policy of the page says.
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
    // Later: what is evaluated from outside may use eval whatever the policy says.
    await new Promise((resolve) =>
      setTimeout(() => {
        // biome-ignore lint/security/noGlobalEval: whether the policy lets it is the question
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
      // Blocked: the report tells.
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
      // One that runs and says nothing is told by the browser's silence.
      await Promise.race([answered, new Promise((resolve) => setTimeout(resolve, 200))]);
      worker.terminate();
    } catch {
      // Blocked: the report tells.
    }
  }

  window.kinds = { violations, tryAll };
})();
