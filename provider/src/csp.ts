/** Re-exports the package `page-guard-csp`, which reads Content Security Policies as browsers do. */
export * from "page-guard-csp";
