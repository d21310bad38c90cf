/**
 * The name of a key, such as `j`, `L`, `up`, `ctrl+d`, `alt+left`, `shift+tab`; or a text that was pasted, which never
 * acts as keys.
 */
export type PressedKey = { readonly name: string } | { readonly paste: string }

/** The ends of escape sequences, and the keys that they are. */
const NAMED: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  H: 'home',
  F: 'end',
  Z: 'shift+tab',
  '1~': 'home',
  '3~': 'delete',
  '4~': 'end',
  '5~': 'pageup',
  '6~': 'pagedown',
  '7~': 'home',
  '8~': 'end',
}

/** The parameter of a modified key is 1 and the sum of these. */
const MODIFIERS = [
  [4, 'ctrl'],
  [2, 'alt'],
  [1, 'shift'],
] as const

// oxlint-disable-next-line no-control-regex
const SEQUENCE = /^\x1b(?:\[([0-?]*)[ -/]*([@-~])|O([@-~]))/
// oxlint-disable-next-line no-control-regex
const UNFINISHED = /^\x1b(?:\[[0-?]*[ -/]*|O)?$/
const PASTE_BEGIN = '\x1b[200~'
const PASTE_END = '\x1b[201~'

/** Milliseconds after which an escape that nothing follows is the key itself. */
export const ESCAPE_DELAY_MS = 50

/** The longest paste and the longest unfinished sequence that are kept, in characters. */
const MAX_PENDING = 1_000_000

/**
 * Splits the input of a terminal into keys. A chunk may hold several keys, and a key may come in several chunks; after an
 * escape that nothing follows, `flush` is called once the delay is over.
 */
export class KeyParser {
  #pending = ''

  /** Whether an unfinished sequence waits for its rest. */
  get isPending(): boolean {
    return this.#pending !== ''
  }

  /** Returns the keys that a chunk completes. */
  read(chunk: string): PressedKey[] {
    this.#pending += chunk
    return this.#drain(false)
  }

  /** Returns the keys of what is pending, which nothing completes. */
  flush(): PressedKey[] {
    return this.#drain(true)
  }

  #drain(isLast: boolean): PressedKey[] {
    const keys: PressedKey[] = []
    while (this.#pending !== '') {
      const next = nextKey(this.#pending, isLast || this.#pending.length > MAX_PENDING)
      if (!next) break
      this.#pending = this.#pending.slice(next.length)
      if (next.key) keys.push(next.key)
    }
    return keys
  }
}

interface ParsedKey {
  readonly length: number
  /** Undefined for a sequence that is no key, such as a report of the terminal. */
  readonly key?: PressedKey
}

/** Returns the first key of an input; undefined where it may go on. */
function nextKey(input: string, isLast: boolean): ParsedKey | undefined {
  if (input.startsWith(PASTE_BEGIN)) {
    const end = input.indexOf(PASTE_END)
    if (end >= 0)
      return { length: end + PASTE_END.length, key: { paste: input.slice(PASTE_BEGIN.length, end) } }
    return isLast ? { length: input.length, key: { paste: input.slice(PASTE_BEGIN.length) } } : undefined
  }
  if (!input.startsWith('\x1b')) {
    const char = String.fromCodePoint(input.codePointAt(0) as number)
    return { length: char.length, key: { name: nameOf(char) } }
  }
  const [sequence, parameters = '', end = '', single] = SEQUENCE.exec(input) ?? []
  if (sequence !== undefined) {
    const name = single === undefined ? sequenceName(parameters, end) : NAMED[single]
    return { length: sequence.length, ...(name !== undefined && { key: { name } }) }
  }
  if (UNFINISHED.test(input)) return isLast ? { length: input.length, key: { name: 'escape' } } : undefined
  const char = String.fromCodePoint(input.codePointAt(1) as number)
  // Two escapes: the first is a key of its own.
  if (char === '\x1b') return { length: 1, key: { name: 'escape' } }
  return { length: 1 + char.length, key: { name: `alt+${nameOf(char)}` } }
}

function sequenceName(parameters: string, end: string): string | undefined {
  const [first = '', modifier = ''] = parameters.split(';')
  const name = NAMED[end === '~' ? `${first}~` : end]
  if (name === undefined) return undefined
  const bits = Math.max(0, Number(modifier) - 1) || 0
  return [...MODIFIERS.flatMap(([bit, held]) => (bits & bit ? [held] : [])), name].join('+')
}

function nameOf(char: string): string {
  const code = char.codePointAt(0) as number
  if (code === 13 || code === 10) return 'enter'
  if (code === 9) return 'tab'
  if (code === 127 || code === 8) return 'backspace'
  if (code === 32) return 'space'
  return code < 32 ? `ctrl+${String.fromCodePoint(code + 96)}` : char
}

/** Returns the text that a key types; undefined for a key that types none. */
export function typedBy(key: PressedKey): string | undefined {
  if ('paste' in key) return key.paste.replace(/\s+/g, ' ')
  if (key.name === 'space') return ' '
  return [...key.name].length === 1 ? key.name : undefined
}
