// Runs in every page before anything else. No policy of a page restricts it.
(() => {
  /** @type {{ uri: string, directive: string }[]} */
  const violations = [];
  document.addEventListener("securitypolicyviolation", ({ blockedURI, effectiveDirective }) => {
    violations.push({ uri: blockedURI, directive: effectiveDirective });
  });

  const settle = () => new Promise((resolve) => setTimeout(resolve, 0));
  const isHttp = ({ url }) => url.startsWith("http");

  /**
   * Returns the marks of the requests that the policy blocked. If the page upgrades requests, does not use `fetch`: Chromium
   * checks such requests before the upgrade, but all others after it, as the standard says.
   */
  async function tryConnections(requests, isUpgrading) {
    const inParallel = requests.filter(isHttp);
    await Promise.all(
      inParallel.map(({ url }, index) =>
        isUpgrading || index % 2 === 0
          ? sendXhr(url)
          : fetch(url, { mode: "no-cors", cache: "no-store" }).catch(() => undefined),
      ),
    );
    await settle();
    const blocked = inParallel.filter(({ mark }) => violations.some(({ uri }) => uri.endsWith(`?n=${mark}`)));
    // Send the others one by one, because their reports do not distinguish them.
    for (const request of requests.filter((one) => !isHttp(one))) {
      const before = violations.length;
      if (request.url.startsWith("ws")) await openSocket(request.url);
      else await fetch(request.url).catch(() => undefined);
      await settle();
      if (violations.length > before) blocked.push(request);
    }
    return blocked.map(({ mark }) => mark);
  }

  function sendXhr(url) {
    return new Promise((resolve) => {
      const request = new XMLHttpRequest();
      request.onloadend = resolve;
      request.open("GET", url);
      request.send();
    });
  }

  function openSocket(url) {
    return new Promise((resolve) => {
      try {
        const socket = new WebSocket(url);
        socket.onerror = resolve;
        socket.onopen = resolve;
      } catch {
        // The browser refuses mixed content at once.
        resolve();
      }
    });
  }

  window.pageGuard = { violations, tryConnections };
})();
