/** Provider that does nothing: every method returns at once. */
exports.Nothing = {
  check: async (_olds, inputs) => ({ inputs }),
  diff: async (_id, olds, news) => ({ changes: olds.text !== news.text }),
  create: async (inputs) => ({ id: inputs.description, outs: inputs }),
  read: async (id, props) => ({ id, props, inputs: props }),
  update: async (_id, _olds, news) => ({ outs: news }),
  delete: async () => {},
};
