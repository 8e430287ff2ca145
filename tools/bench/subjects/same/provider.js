exports.Nothing = require("../floor/provider.js").Nothing;
