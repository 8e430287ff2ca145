import type * as Csp from "page-guard-csp";

/** `pulumi-page-guard/csp`, loaded on first use, because most programs declare policies but do not analyse them. */
export const csp: typeof Csp = new Proxy({} as typeof Csp, {
  get: (_target, name) => Reflect.get(load(), name),
  has: (_target, name) => Reflect.has(load(), name),
  ownKeys: () => Reflect.ownKeys(load()),
  getOwnPropertyDescriptor: (_target, name) => ({
    value: Reflect.get(load(), name),
    enumerable: true,
    configurable: true,
  }),
});

function load(): typeof Csp {
  return require("page-guard-csp") as typeof Csp;
}
