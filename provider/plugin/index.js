const writeCache = require("../dist/plugin/compile-cache.js").keepCompiledCode();
require("../dist/plugin/serve.js")
  .servePlugin(__dirname)
  // The engine kills plugins: they never end by themselves.
  .then(writeCache)
  .catch((error) => {
    console.error(error.message);
    process.exit(1);
  });
