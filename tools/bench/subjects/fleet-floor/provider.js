const { Nothing } = require("../floor/provider.js");

/** Every method answers at once; what was edited is updated. */
exports.Nothing = {
  ...Nothing,
  diff: async (_id, olds, news) => ({
    changes: JSON.stringify(olds.policies) !== JSON.stringify(news.policies),
  }),
};
