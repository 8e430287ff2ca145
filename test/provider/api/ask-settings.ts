/** A program that reads settings from each base URL in its arguments. Node reads its trusted CAs and proxies at the start. */
import { createClient } from "../../../provider/src/api/create-client";
import { PageGuardError } from "../../../provider/src/errors/page-guard-error";
import { TOKEN, ZONE } from "./scripted-server";

async function ask(baseUrl: string): Promise<object> {
  try {
    const client = createClient({ baseUrl, token: TOKEN, service: "page_guard" }, { random: () => 0 });
    return { ok: await client.getSettings(ZONE) };
  } catch (error) {
    if (!(error instanceof PageGuardError)) throw error;
    return {
      code: error.code,
      message: error.message,
      reason: /\(([A-Z_0-9]+)(?:, \d+ attempts)?\)/.exec(error.message)?.[1],
    };
  }
}

void Promise.all(process.argv.slice(2).map(ask)).then((results) => console.log(JSON.stringify(results)));
