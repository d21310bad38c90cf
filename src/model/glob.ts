/** A pattern of names with `/` between their parts. */
export interface Glob {
  /** The common prefix of all names that match. */
  readonly prefix: string
  readonly matches: (name: string) => boolean
}

/**
 * Reads a pattern as git reads those of refs: a whole name, the beginning of one up to a `/`, or with `*` (anything but
 * `/`), `**` (anything) and `?` (one character but `/`).
 */
export function globOf(pattern: string): Glob {
  const wild = /[*?]/.exec(pattern)
  if (!wild) {
    const folder = pattern.endsWith('/') ? pattern : `${pattern}/`
    return { prefix: pattern, matches: (name) => name === pattern || name.startsWith(folder) }
  }
  const source = pattern.replace(/\*\*|[*?]|[\\^$.|+()[\]{}/]/g, (found) => WILD[found] ?? `\\${found}`)
  const expression = new RegExp(`^${source}$`, 'su')
  return { prefix: pattern.slice(0, wild.index), matches: (name) => expression.test(name) }
}

const WILD: Readonly<Record<string, string>> = { '**': '.*', '*': '[^/]*', '?': '[^/]' }
