import { importName } from "./import-name.mjs";

/** The API as pages of the site. A module is titled as programs import it. */
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
  pageTitleTemplates: {
    module: ({ name }) => importName(name),
  },
};
