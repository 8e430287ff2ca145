/** Content Security Policies, as browsers read them: the package `page-guard-csp`. */
export * from "page-guard-csp";
