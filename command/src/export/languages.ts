import { Option } from "commander";
import type { Language } from "./language";
import { go } from "./languages/go";
import { python } from "./languages/python";
import { typescript } from "./languages/typescript";
import { yaml } from "./languages/yaml";

const languageNames = ["typescript", "yaml", "python", "go"] as const;
export type LanguageName = (typeof languageNames)[number];

export const languages: Readonly<Record<LanguageName, Language>> = { typescript, yaml, python, go };

export function languageOption(text: string): Option {
  return new Option("--language <name>", text).choices(languageNames).default("typescript");
}
