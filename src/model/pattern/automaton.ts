import { folded } from '../search/words.ts'
import { type Assertion, type CharacterSet, PatternError, type Syntax } from './syntax.ts'

/** The kinds of characters that assertions tell apart; the ends of a text count as `BREAK`. */
const [BREAK, WORD, OTHER] = [0, 1, 2] as const
type StateKind = typeof BREAK | typeof WORD | typeof OTHER

const [CHARACTER, SPLIT, MATCH] = ['character', 'split', 'match'] as const

/**
 * A step of a nondeterministic automaton: takes a character of a set, goes two ways at once, goes on where an assertion
 * is true, or ends a match.
 */
interface AutomatonStep {
  readonly op: typeof CHARACTER | typeof SPLIT | typeof MATCH | Assertion
  next: number
  /** Of a split the other way. */
  readonly other: number
  /** The set of characters that is taken. */
  readonly set: number
}

/** An automaton may have this many steps, which bounds what one character of a text costs. */
const MAX_STEPS = 5000

/** A nondeterministic automaton: its steps, the first of them, and the sets of characters that its steps take. */
export interface PatternProgram {
  readonly steps: readonly AutomatonStep[]
  readonly start: number
  readonly sets: readonly CharacterSet[]
}

/** Compiles a syntax tree; `reversed`, to an automaton that reads backwards. Throws `PatternError` where it is too large. */
export function compile(syntax: Syntax, reversed = false): PatternProgram {
  const steps: AutomatonStep[] = []
  const sets: CharacterSet[] = []
  const add = (op: AutomatonStep['op'], next: number, { other = 0, set = 0 } = {}): number => {
    if (steps.length >= MAX_STEPS) throw new PatternError('it is too large')
    return steps.push({ op, next, other, set }) - 1
  }
  const numbers = new Map<string, number>()
  const setOf = (set: CharacterSet): number => {
    const name = set.kind === 'class' ? set.source : `=${folded(set.character)}`
    const number = numbers.get(name) ?? sets.push(set) - 1
    numbers.set(name, number)
    return number
  }
  /** Compiles a part that is followed by a step, and returns its first step. */
  const build = (node: Syntax, next: number): number => {
    switch (node.kind) {
      case 'character':
        return add(CHARACTER, next, { set: setOf(node.set) })
      case 'assertion':
        return add(reversed ? REVERSED[node.asserts] : node.asserts, next)
      case 'choice':
        return node.of.map((one) => build(one, next)).reduce((a, b) => add(SPLIT, a, { other: b }))
      case 'sequence':
        return (reversed ? node.of : node.of.toReversed()).reduce((after, one) => build(one, after), next)
      case 'repetition': {
        let first = next
        if (node.max === undefined) {
          first = add(SPLIT, next, { other: next })
          ;(steps[first] as AutomatonStep).next = build(node.of, first)
        } else
          for (let round = node.min; round < node.max; round++)
            first = add(SPLIT, build(node.of, first), { other: next })
        for (let round = 0; round < node.min; round++) first = build(node.of, first)
        return first
      }
    }
  }
  const end = add(MATCH, 0)
  return { start: build(syntax, end), steps, sets }
}

const REVERSED: Readonly<Record<Assertion, Assertion>> = { '^': '$', $: '^', b: 'b', B: 'B' }

/** A state of the deterministic automaton. */
interface AutomatonState {
  /** The steps that wait for the next character, before assertions were looked at. */
  readonly waiting: readonly number[]
  /** The kind of the character before. */
  readonly before: StateKind
  /** Whether a match ends before the character before. */
  readonly matched: boolean
  /** The next state, by the class of the next character. */
  readonly moves: (AutomatonState | undefined)[]
}

/** The states that are kept have this many waiting steps and moves together: some megabytes. */
const MAX_KEPT = 1 << 19

/** Counts for a state besides its steps and moves. */
const STATE_SIZE = 16

/** Characters beyond the Basic Multilingual Plane of which the class is kept. */
const MAX_RARE = 1 << 14

/** Characters that a program cannot tell apart. */
interface CharacterClass {
  readonly inSet: readonly boolean[]
  readonly kind: StateKind
}

/**
 * Runs a program over a text as a deterministic automaton, whose states are made when they are first reached and kept in
 * bounded memory. A character costs one look-up, at most as many operations as the program has steps.
 */
export class Automaton {
  readonly #program: PatternProgram
  readonly #floating: boolean
  /** Whether assertions are in the program: else all characters are of one kind to it. */
  readonly #asserts: boolean
  readonly #states = new Map<string, AutomatonState>()
  #kept = 0
  /** Whether states are no longer kept in this run: the text leads to ever new ones. */
  #full = false
  /** By code unit the class of a character plus one; 0 where it is not known yet. */
  readonly #common = new Uint16Array(1 << 16)
  readonly #rare = new Map<number, number>()
  readonly #classes: CharacterClass[] = []
  readonly #classNumbers = new Map<string, number>()
  /** By step the last round in which it was met. */
  readonly #met: Uint32Array
  #round = 0
  /** Working memory: steps that are still to be followed, and those found. */
  readonly #open: Int32Array
  readonly #found: Int32Array
  /** Where the last run forwards stopped. */
  reached = 0

  /** With `floating` a match may begin at each place that is passed, else only where a run begins. */
  constructor(program: PatternProgram, floating: boolean) {
    this.#program = program
    this.#floating = floating
    this.#asserts = program.steps.some(({ op }) => op in REVERSED)
    this.#met = new Uint32Array(program.steps.length)
    this.#open = new Int32Array(2 * program.steps.length + 1)
    this.#found = new Int32Array(program.steps.length)
  }

  /** Returns the end of the match that ends first, of those that begin at `from` or later; -1 where there is none. */
  first(text: string, from: number): number {
    return this.#forward(text, from, text.length, true)
  }

  /** Returns the end of the longest match that begins at `from` and ends before `limit`; -1 where there is none. */
  longest(text: string, from: number, limit = text.length + 1): number {
    return this.#forward(text, from, limit, false)
  }

  #forward(text: string, from: number, limit: number, stopAtFirst: boolean): number {
    let state = this.#begin(from > 0 ? this.#kindOf(codeBefore(text, from)) : BREAK)
    let [at, end] = [from, -1]
    while (at < text.length) {
      const here = at
      let code = text.charCodeAt(at++)
      if (code >= 0xd800 && code < 0xdc00) {
        code = text.codePointAt(here) as number
        if (code > 0xffff) at++
      }
      const character = this.#classOf(code)
      state = state.moves[character] ?? this.#move(state, character)
      if (state.matched) {
        end = here
        if (stopAtFirst) break
      }
      if (state.waiting.length === 0 || at >= limit) break
    }
    this.reached = at
    if (at < text.length || (end >= 0 && stopAtFirst)) return end
    return this.#follow(state, BREAK).matched ? text.length : end
  }

  /** Runs backwards and returns the beginning of the longest match that ends at `from` and begins at `limit` or later. */
  longestBefore(text: string, from: number, limit: number): number {
    let state = this.#begin(from < text.length ? this.#kindOf(text.codePointAt(from) as number) : BREAK)
    let start = -1
    for (let at = from; at > 0; ) {
      const here = at
      const code = codeBefore(text, at)
      at -= code > 0xffff ? 2 : 1
      const character = this.#classOf(code)
      state = state.moves[character] ?? this.#move(state, character)
      if (state.matched) start = here
      if (state.waiting.length === 0 || here <= limit) return start
    }
    return this.#follow(state, BREAK).matched ? 0 : start
  }

  #kindOf(code: number): StateKind {
    return (this.#classes[this.#classOf(code)] as CharacterClass).kind
  }

  #classOf(code: number): number {
    const known = code > 0xffff ? this.#rare.get(code) : this.#common[code]
    return known ? known - 1 : this.#newClassOf(code)
  }

  #newClassOf(code: number): number {
    const character = String.fromCodePoint(code)
    const lower = folded(character)
    const inSet = this.#program.sets.map((set) =>
      set.kind === 'class' ? set.test(character) : folded(set.character) === lower,
    )
    const kind = this.#asserts ? kindOf(character) : OTHER
    const name = `${kind}${inSet.map(Number).join('')}`
    const number = this.#classNumbers.get(name) ?? this.#classes.push({ inSet, kind }) - 1
    this.#classNumbers.set(name, number)
    if (code <= 0xffff) this.#common[code] = number + 1
    else {
      if (this.#rare.size >= MAX_RARE) this.#rare.clear()
      this.#rare.set(code, number + 1)
    }
    return number
  }

  /** Returns the state in which a run begins after a character of a kind. */
  #begin(before: StateKind): AutomatonState {
    this.#full = false
    return this.#state([this.#program.start], this.#asserts ? before : OTHER, false)
  }

  /** Returns the state after a character. */
  #move(state: AutomatonState, character: number): AutomatonState {
    const { steps, start } = this.#program
    const { inSet, kind } = this.#classes[character] as CharacterClass
    const { count, matched } = this.#follow(state, kind)
    const next: number[] = []
    const round = ++this.#round
    for (let i = 0; i < count; i++) {
      const step = steps[this.#found[i] as number] as AutomatonStep
      if (!inSet[step.set] || this.#met[step.next] === round) continue
      this.#met[step.next] = round
      next.push(step.next)
    }
    if (this.#floating && this.#met[start] !== round) next.push(start)
    const moved = this.#state(next, kind, matched)
    if (!this.#full) {
      this.#kept += Math.max(1, character + 1 - state.moves.length)
      state.moves[character] = moved
    }
    return moved
  }

  /** Finds the steps for characters that a state comes to before a character of a kind, and whether a match ends there. */
  #follow(
    { waiting, before }: AutomatonState,
    after: StateKind,
  ): { readonly count: number; readonly matched: boolean } {
    const { steps } = this.#program
    const [met, open, found] = [this.#met, this.#open, this.#found]
    const round = ++this.#round
    let [count, left, matched] = [0, 0, false]
    for (const first of waiting) {
      open[left++] = first
      while (left > 0) {
        const at = open[--left] as number
        if (met[at] === round) continue
        met[at] = round
        const step = steps[at] as AutomatonStep
        if (step.op === CHARACTER) found[count++] = at
        else if (step.op === MATCH) matched = true
        else if (step.op === SPLIT) {
          open[left++] = step.other
          open[left++] = step.next
        } else if (isTrue(step.op, before, after)) open[left++] = step.next
      }
    }
    return { count, matched }
  }

  #state(waiting: number[], before: StateKind, matched: boolean): AutomatonState {
    if (this.#full) return { waiting, before, matched, moves: [] }
    const name = `${before}${matched}${waiting.sort((a, b) => a - b).join()}`
    const known = this.#states.get(name)
    if (known) return known
    if (this.#kept > MAX_KEPT) {
      this.#states.clear()
      this.#kept = 0
      this.#full = true
    }
    const state: AutomatonState = { waiting, before, matched, moves: [] }
    this.#states.set(name, state)
    this.#kept += 2 * waiting.length + STATE_SIZE
    return state
  }
}

const WORDS = /^\w$/iu
const BREAKS = /^[\n\r\u2028\u2029]$/

const kindOf = (character: string): StateKind =>
  BREAKS.test(character) ? BREAK : WORDS.test(character) ? WORD : OTHER

function isTrue(asserts: Assertion, before: StateKind, after: StateKind): boolean {
  if (asserts === '^') return before === BREAK
  if (asserts === '$') return after === BREAK
  return ((before === WORD) !== (after === WORD)) === (asserts === 'b')
}

/** Returns the code point before a place of a text. */
function codeBefore(text: string, at: number): number {
  const unit = text.charCodeAt(at - 1)
  if (unit < 0xdc00 || unit > 0xdfff || at < 2) return unit
  const pair = text.codePointAt(at - 2) as number
  return pair > 0xffff ? pair : unit
}
