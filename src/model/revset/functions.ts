/**
 * The kind of an argument: an expression, or a word that is a number, a name pattern, a text, a role, a time or a
 * session.
 */
export type Takes = 'set' | 'count' | 'pattern' | 'text' | 'role' | 'when' | 'session'

/** An argument that a function takes; of a function at most one is an expression and at most one a word. */
export interface Parameter {
  readonly name: string
  readonly takes: Takes
  readonly optional?: boolean
}

interface Signature {
  readonly parameters: readonly Parameter[]
  /** Its description, for help. */
  readonly gives: string
}

const X: Parameter = { name: 'x', takes: 'set' }
const ANY_X: Parameter = { ...X, optional: true }
const N: Parameter = { name: 'n', takes: 'count', optional: true }
const DEPTH: Parameter = { ...N, name: 'depth' }
const PATTERN: Parameter = { name: 'pattern', takes: 'pattern' }
const ANY_PATTERN: Parameter = { ...PATTERN, optional: true }
const WHEN: Parameter = { name: 'when', takes: 'when' }

/** The functions of expressions, in the order in which help lists them. */
export const FUNCTIONS = {
  all: { parameters: [], gives: 'all entries searched' },
  none: { parameters: [], gives: 'nothing' },
  session: {
    parameters: [{ name: 'session', takes: 'session' }],
    gives: 'the entries of a session, on all branches',
  },
  branches: { parameters: [ANY_PATTERN], gives: 'the tips of branches' },
  labels: { parameters: [ANY_PATTERN], gives: 'labelled entries' },
  ancestors: {
    parameters: [X, DEPTH],
    gives: 'x and its ancestors, up to a depth',
  },
  descendants: { parameters: [X], gives: 'x and its descendants' },
  parents: { parameters: [X], gives: 'parents of x' },
  children: { parameters: [X], gives: 'children of x' },
  heads: { parameters: [ANY_X], gives: 'entries of x without descendants in x' },
  roots: { parameters: [ANY_X], gives: 'entries of x without ancestors in x' },
  forks: { parameters: [], gives: 'fork points: entries with several children' },
  merges: { parameters: [], gives: 'entries with several parents' },
  compactions: { parameters: [], gives: 'compactions' },
  role: {
    parameters: [{ name: 'role', takes: 'role' }],
    gives: 'entries by user, assistant, tool or system',
  },
  tool: { parameters: [PATTERN], gives: 'tool calls and their results' },
  failed: { parameters: [], gives: 'failed tool results' },
  text: {
    parameters: [{ name: 'text', takes: 'text' }],
    gives: 'entries that contain a text; case does not matter',
  },
  type: { parameters: [PATTERN], gives: 'entries of a type, such as "claude/*"' },
  agent: {
    parameters: [{ name: 'name', takes: 'pattern' }],
    gives: 'entries of an agent: claude, codex, pi, …',
  },
  since: { parameters: [WHEN], gives: 'entries at a time or later' },
  until: { parameters: [WHEN], gives: 'entries before a time' },
  latest: { parameters: [X, N], gives: 'the n newest entries of x (1)' },
  first: { parameters: [X, N], gives: 'the n oldest entries of x (1)' },
  present: { parameters: [X], gives: 'x, or nothing if a name in it is unknown' },
} as const satisfies Record<string, Signature>

/** The name of a function. */
export type FunctionName = keyof typeof FUNCTIONS

/** Returns whether a word names a function. */
export const isFunction = (word: string): word is FunctionName => Object.hasOwn(FUNCTIONS, word)

/** Returns the parameters of a function. */
export const parametersOf = (name: FunctionName): readonly Parameter[] => FUNCTIONS[name].parameters

/** Returns a function with its parameters, as help shows it: `ancestors(x[, depth])`. */
export function usageOf(name: FunctionName): string {
  const shown = parametersOf(name).map((parameter, i) => {
    const comma = i === 0 ? '' : ', '
    return parameter.optional ? `[${comma}${parameter.name}]` : comma + parameter.name
  })
  return `${name}(${shown.join('')})`
}
