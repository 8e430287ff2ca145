require("../dist/plugin/serve.js").servePlugin(__dirname);
