/**
 * A dynamic provider as Pulumi's documentation teaches it: an object that the program captures, `fetch`, no retry, no
 * limit, each resource read by itself.
 */

const pulumi = require("@pulumi/pulumi");
const { policies } = require("../policies");

async function call(method, path, body) {
  const response = await fetch(`${process.env.PAGE_GUARD_BASE_URL}/zones/${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${process.env.PAGE_GUARD_API_TOKEN}`,
      "Content-Type": "application/json",
    },
    body: body && JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${path} failed: ${response.status} ${await response.text()}`);
  return response.status === 204 ? undefined : (await response.json()).result;
}

function bodyOf({ description, action, expression, value }) {
  return { description, action, expression, enabled: "true", value };
}

const policyProvider = {
  async create(inputs) {
    const { id } = await call("POST", `${inputs.zoneId}/page_guard/policies`, bodyOf(inputs));
    return { id, outs: { ...inputs, policyId: id } };
  },
  async read(id, props) {
    const { description, action, expression, value } = await call(
      "GET",
      `${props.zoneId}/page_guard/policies/${id}`,
    );
    return { id, props: { ...props, description, action, expression, value } };
  },
  async update(id, _olds, news) {
    await call("PUT", `${news.zoneId}/page_guard/policies/${id}`, bodyOf(news));
    return { outs: { ...news, policyId: id } };
  },
  async delete(id, props) {
    await call("DELETE", `${props.zoneId}/page_guard/policies/${id}`);
  },
};

class Policy extends pulumi.dynamic.Resource {
  constructor(name, args) {
    super(policyProvider, name, { policyId: undefined, ...args });
  }
}

for (const { name, args } of policies) new Policy(name, args);
