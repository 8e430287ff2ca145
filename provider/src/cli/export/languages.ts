import type { Language } from "./language";
import { go } from "./languages/go";
import { python } from "./languages/python";
import { typescript } from "./languages/typescript";
import { yaml } from "./languages/yaml";
import type { LanguageName } from "./lock";

export const languages: Readonly<Record<LanguageName, Language>> = { typescript, yaml, python, go };
