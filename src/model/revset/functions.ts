/**
 * What an argument of a function is: an expression, or a word that is a number, a pattern of a name, a text to look for,
 * a role, a time, or a session.
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
  /** What it gives, for help. */
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
  all: { parameters: [], gives: 'all entries that are looked at' },
  none: { parameters: [], gives: 'nothing' },
  session: {
    parameters: [{ name: 'session', takes: 'session' }],
    gives: 'the entries of a session, all its branches',
  },
  branches: { parameters: [ANY_PATTERN], gives: 'where branches stand' },
  labels: { parameters: [ANY_PATTERN], gives: 'what has a label' },
  ancestors: {
    parameters: [X, DEPTH],
    gives: 'x and what it continues; of so many generations, its own the first',
  },
  descendants: { parameters: [X], gives: 'x and what continues it' },
  parents: { parameters: [X], gives: 'what x continues directly' },
  children: { parameters: [X], gives: 'what continues x directly' },
  heads: { parameters: [ANY_X], gives: 'what nothing else of x continues' },
  roots: { parameters: [ANY_X], gives: 'what continues nothing else of x' },
  forks: { parameters: [], gives: 'fork points: where conversations part' },
  merges: { parameters: [], gives: 'what has several parents' },
  compactions: { parameters: [], gives: 'compactions' },
  role: {
    parameters: [{ name: 'role', takes: 'role' }],
    gives: 'what was said by user, assistant, tool or system',
  },
  tool: { parameters: [PATTERN], gives: 'calls of a tool and what they gave' },
  failed: { parameters: [], gives: 'results of tools that are errors' },
  text: {
    parameters: [{ name: 'text', takes: 'text' }],
    gives: 'what holds a text, in upper or lower case, anywhere in what is shown of it',
  },
  type: { parameters: [PATTERN], gives: 'entries of a type, such as "claude/*"' },
  agent: {
    parameters: [{ name: 'name', takes: 'pattern' }],
    gives: 'what an agent wrote: claude, codex, pi, …',
  },
  since: { parameters: [WHEN], gives: 'what was said at a time or later' },
  until: { parameters: [WHEN], gives: 'what was said before a time' },
  latest: { parameters: [X, N], gives: 'the n newest of x; the newest' },
  first: { parameters: [X, N], gives: 'the n oldest of x; the oldest' },
  present: { parameters: [X], gives: 'x, or nothing where a name in it is unknown' },
} as const satisfies Record<string, Signature>

/** The name of a function. */
export type FunctionName = keyof typeof FUNCTIONS

/** Tells whether a word names a function. */
export const isFunction = (word: string): word is FunctionName => Object.hasOwn(FUNCTIONS, word)

/** Gives the arguments that a function takes. */
export const parametersOf = (name: FunctionName): readonly Parameter[] => FUNCTIONS[name].parameters

/** Gives a function with its arguments, as help shows it: `ancestors(x[, depth])`. */
export function usageOf(name: FunctionName): string {
  const shown = parametersOf(name).map((parameter, i) => {
    const comma = i === 0 ? '' : ', '
    return parameter.optional ? `[${comma}${parameter.name}]` : comma + parameter.name
  })
  return `${name}(${shown.join('')})`
}
