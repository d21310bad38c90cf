/** Engine flags under which regular expressions end in time: without them a bad one may never come back. */
const FLAGS = [
  '--enable-experimental-regexp-engine',
  '--enable-experimental-regexp-engine-on-excessive-backtracks',
]

interface Engine {
  setFlagsFromString(flags: string): void
}

/** The engine's own flag for expressions that it runs in linear time. */
const LINEAR = 'l'

let ready = false

function prepare(): void {
  if (ready) return
  const engine = process.getBuiltinModule?.('node:v8') as Engine | undefined
  for (const flag of FLAGS) engine?.setFlagsFromString(flag)
  ready = true
}

/**
 * Returns a regular expression for folded text that runs in linear time, or the reason why there is none: the engine
 * rejects back references and look-around.
 */
export function linear(source: string): RegExp | string {
  prepare()
  const lower = lowered(source)
  try {
    // Throws where it may take longer. What is run has not the flag: it is faster until it backtracks too much.
    const checked = new RegExp(lower, LINEAR)
    return new RegExp(checked.source, 'gm')
  } catch (error) {
    const said = error instanceof Error ? error.message.replace(/^.*: /, '') : ''
    if (/linear time/.test(said)) return 'back references and look-around are not supported'
    return `the regular expression is wrong: ${said.charAt(0).toLowerCase()}${said.slice(1)}`
  }
}

/** Puts the letters of an expression in lower case but for those of escapes, of which many mean something else then. */
const lowered = (source: string): string =>
  source.replace(/\\.|[^\\]+/gs, (part) => (part.startsWith('\\') ? part : part.toLowerCase()))

/** Where a literal may end for good: what follows may make it optional or an alternative. */
const LITERAL = /\\[^A-Za-z0-9]|[A-Za-z0-9_\u00c0-\uffff]/y

/**
 * Returns texts that every match of an expression contains: runs of plain characters outside of brackets. None if it
 * has alternatives or characters given by number.
 */
export function literalsOf(source: string): string[] {
  if (/\||\(\?|\\[xuck\d]/.test(source)) return []
  const literals: string[] = []
  let run = ''
  let depth = 0
  for (let at = 0; at < source.length; ) {
    LITERAL.lastIndex = at
    const [found] = LITERAL.exec(source) ?? []
    const next = source.charAt(at + (found?.length ?? 0))
    if (found !== undefined && depth === 0 && !/[*?{]/.test(next)) {
      run += found.startsWith('\\') ? found.slice(1) : found
      at += found.length
      // More of the last character may follow, and then the rest.
      if (next !== '+') continue
    } else if (found === undefined) {
      const char = source.charAt(at)
      if (char === '[') at = endOfClass(source, at)
      else if (char === '{') at = Math.max(at, source.indexOf('}', at)) + 1
      else if (char === '\\') at += 2
      else at++
      if (char === '(') depth++
      if (char === ')') depth--
    } else at += found.length
    if (run !== '') literals.push(run.toLowerCase())
    run = ''
  }
  if (run !== '') literals.push(run.toLowerCase())
  return literals
}

/** Returns the end of a character class. */
function endOfClass(source: string, start: number): number {
  for (let at = start + 1; at < source.length; at++) {
    if (source.charAt(at) === '\\') at++
    else if (source.charAt(at) === ']') return at + 1
  }
  return source.length
}
