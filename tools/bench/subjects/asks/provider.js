const { Agent, request } = require("node:http");
const { Nothing } = require("../floor/provider.js");

const agent = new Agent({ keepAlive: true });
let read;

/** Sends once, and gives `result` of the answer; what is not accepted fails the benchmark. */
function ask(method, path, body) {
  const url = `${process.env.PAGE_GUARD_BASE_URL}/zones/${process.env.BENCH_ZONE}/page_guard/policies${path}`;
  const headers = {
    authorization: `Bearer ${process.env.PAGE_GUARD_API_TOKEN}`,
    accept: "application/json",
    ...(body && { "content-type": "application/json" }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
      });
      answer.on("end", () => {
        if (answer.statusCode >= 300) reject(new Error(`${method} ${path}: ${answer.statusCode} ${text}`));
        else resolve(text === "" ? undefined : JSON.parse(text).result);
      });
    });
    sent.on("error", reject);
    sent.end(body && JSON.stringify(body));
  });
}

exports.Asking = {
  ...Nothing,
  async create(inputs) {
    const { zoneId, description, action, expression, value } = inputs;
    const { id: policyId } = await ask("POST", "", {
      description,
      action,
      expression,
      enabled: "true",
      value,
    });
    const outs = { ...inputs, policyId, loggingSince: new Date().toISOString(), schemaVersion: 1 };
    return { id: `${zoneId}/${policyId}`, outs };
  },
  async read(id, props) {
    // One request for all of a zone.
    read ??= ask("GET", "");
    await read;
    const { policyId, loggingSince, schemaVersion, ...inputs } = props;
    return { id, props, inputs };
  },
  delete: (_id, { policyId }) => ask("DELETE", `/${policyId}`),
};
