require("../dist/plugin/serve.js")
  .servePlugin(__dirname)
  .catch((error) => {
    console.error(error.message);
    process.exit(1);
  });
