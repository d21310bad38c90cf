import { type ShjLanguageData, tokenizeWith } from '@speed-highlight/core/tokenize'
import type { ComponentChildren, VNode } from 'preact'

/** Longer code is shown without colours. */
const MAX_COLORED_CHARS = 50_000

/** The names under which people know a language, and its own. */
const ALIASES: Readonly<Record<string, string>> = {
  javascript: 'js',
  jsx: 'js',
  mjs: 'js',
  cjs: 'js',
  typescript: 'ts',
  tsx: 'ts',
  mts: 'ts',
  python: 'py',
  python3: 'py',
  sh: 'bash',
  shell: 'bash',
  zsh: 'bash',
  console: 'bash',
  rust: 'rs',
  golang: 'go',
  yml: 'yaml',
  jsonc: 'json',
  jsonl: 'json',
  patch: 'diff',
  svg: 'html',
  xml: 'html',
  vue: 'html',
  h: 'c',
  cpp: 'c',
  cc: 'c',
}

const grammars = new Map<string, ShjLanguageData>()

/** Makes languages known. */
export function addLanguages(named: Readonly<Record<string, unknown>>): void {
  for (const [name, grammar] of Object.entries(named)) grammars.set(name, grammar as ShjLanguageData)
}

/** Returns the language of a file by the end of its name. */
export const languageOf = (path: string): string => /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? ''

/** The class of each kind of token that has a colour. */
const CLASSES: Readonly<Record<string, string>> = {
  kwd: 'kw',
  oper: '',
  str: 'st',
  cmnt: 'cm',
  func: 'fn',
  num: 'nu',
  bool: 'kw',
  type: 'ty',
  class: 'ty',
  var: 'va',
  deleted: 'de',
  insert: 'in',
  section: 'fn',
}

/** Returns code with its words in colours. */
export function colored(text: string, language: string): ComponentChildren {
  const name = language.toLowerCase()
  const grammar = grammars.get(ALIASES[name] ?? name)
  if (grammar === undefined || text.length > MAX_COLORED_CHARS) return text
  const found: ComponentChildren[] = []
  tokenizeWith(text, grammar, (piece, kind) => {
    const hue = kind && CLASSES[kind]
    found.push(hue ? <span class={hue}>{piece}</span> : piece)
  })
  return found
}

/** A block of code. */
export const Code = ({
  text,
  language,
}: {
  readonly text: string
  readonly language: string
}): VNode => (
  <pre class="code" tabIndex={0}>
    <code>{colored(text, language)}</code>
  </pre>
)
