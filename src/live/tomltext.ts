import { SessError } from '../model/errors.ts'

/** An array of strings at the top of a TOML file: where it is in the text, and its words. */
export interface TomlWords {
  /** The position after its opening bracket. */
  readonly inside: number
  readonly words: readonly string[]
}

/** Strings of one line, comments, and whatever else may stand in an array. */
const TOKEN = /\s+|#[^\n]*|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^]/y

/** The header of a table: `[a.b]`, `[[a."b c"]]`. */
const HEADER =
  /^[ \t]*\[\[?[ \t]*(?:[\w-]+|"[^"\n]*"|'[^'\n]*')(?:[ \t]*\.[ \t]*(?:[\w-]+|"[^"\n]*"|'[^'\n]*'))*[ \t]*\]\]?[ \t]*(?:#.*)?\r?$/m

/** Returns the part of a text before its first table. */
const topOf = (text: string): string => text.slice(0, HEADER.exec(text)?.index ?? text.length)

/**
 * Returns the words of a key at the top of a TOML file; undefined where it has no such key. Throws `bad-config` where its
 * value is no list of plain strings.
 */
export function topWords(text: string, key: string): TomlWords | undefined {
  const found = new RegExp(`^[ \\t]*"?${key}"?[ \\t]*=[ \\t]*`, 'm').exec(topOf(text))
  if (!found) {
    // In a text of several lines what looks like the end of the top may be none.
    if (/"""|'''/.test(text) && new RegExp(`^[ \\t]*"?${key}"?[ \\t]*=`, 'm').test(text))
      throw new SessError('bad-config', 'config.toml', { detail: `whether '${key}' is set cannot be told` })
    return undefined
  }
  let at = found.index + found[0].length
  const bad = new SessError('bad-config', 'config.toml', { detail: `'${key}' is no list of texts` })
  if (text[at++] !== '[') throw bad
  const inside = at
  const words: string[] = []
  for (;;) {
    TOKEN.lastIndex = at
    const [token = ''] = TOKEN.exec(text) ?? []
    at += token.length
    if (token === ']') return { inside, words }
    const word = wordOf(token)
    if (word !== undefined) words.push(word)
    else if (token === '' || !/^(?:\s+|#.*|,)$/.test(token)) throw bad
  }
}

function wordOf(token: string): string | undefined {
  if (token.startsWith("'") && token.length > 1) return token.slice(1, -1)
  if (!token.startsWith('"') || token.length < 2) return undefined
  try {
    return JSON.parse(token.replace(/\\U([0-9a-fA-F]{8})/g, longEscape)) as string
  } catch {
    return undefined
  }
}

const longEscape = (_: string, hex: string): string => {
  const code = Number.parseInt(hex, 16)
  return code <= 0x10ffff ? JSON.stringify(String.fromCodePoint(code)).slice(1, -1) : ''
}

/** Returns words as the items of a TOML array. */
export const tomlItems = (words: readonly string[]): string =>
  words.map((word) => JSON.stringify(word)).join(', ')

/** Returns the text with a new key at its top, before everything else. */
export const withTopKey = (text: string, key: string, words: readonly string[]): string =>
  `${key} = [${tomlItems(words)}]\n${text}`
