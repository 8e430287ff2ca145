import { importName } from "./pages.mjs";

/** Options of TypeDoc for the API pages of the site. The title of a module is the name by which programs import it. */
export default {
  extends: ["../../typedoc.json"],
  plugin: ["./node_modules/typedoc-plugin-markdown/dist/index.js"],
  out: "../../docs/reference",
  navigationJson: "../../docs/reference/navigation.json",
  entryFileName: "index",
  hideBreadcrumbs: true,
  hidePageHeader: true,
  useCodeBlocks: true,
  parametersFormat: "table",
  pageTitleTemplates: { module: ({ name }) => importName(name) },
};
