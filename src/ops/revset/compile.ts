import { FORMATS } from '../../formats/registry.ts'
import type { Selector } from '../../graph/evaluate.ts'
import type { Oid } from '../../model/encoding/oid.ts'
import { type ErrorCode, SessError, type Span } from '../../model/errors.ts'
import type { EntryHandle } from '../../model/node.ts'
import {
  type NameTest,
  nameGlob,
  type Pattern,
  phrase,
  regularExpression,
} from '../../model/pattern/pattern.ts'
import type { PriceOf } from '../../model/prices.ts'
import { wrong } from '../../model/revset/errors.ts'
import type {
  ComparedField,
  ComparisonSign,
  RevsetExpression,
  RevsetWord,
} from '../../model/revset/expression.ts'
import { isFunction, usageOf } from '../../model/revset/functions.ts'
import { type EntryText, textsOf } from '../../model/search/entrytext.ts'
import { parseTime, type Zone } from '../../model/time.ts'
import { addedCost, addedTokens } from '../../model/usage.ts'
import { COMPACTS, ROLES, roleOf, type View } from '../../model/view.ts'
import type { Reader } from '../../repo/reader.ts'
import { resolve, resolveSession } from '../../repo/revision.ts'
import { allBranches, type SessionTrunk } from '../../repo/session.ts'
import { tipsOf, viewAt } from '../entries.ts'
import { Outputs } from '../outputs.ts'
import { AddedUsage, viewWithUsage } from '../usage.ts'
import type { Scope } from './scope.ts'

/** The store, the scope and the time against which an expression is evaluated. */
export interface RevsetContext {
  readonly reader: Reader
  readonly scope: Scope
  /** Milliseconds since 1970. */
  readonly now: number
  readonly zone: Zone
  /** The prices of models, for costs that no agent records. */
  readonly priceOf: PriceOf
}

/** The costs of tests: on an entry without its body, on its time, on its body. */
const [NODE, TIME, BODY, USAGE] = [1, 2, 3, 4]

const NONE: Selector<EntryHandle> = { op: 'nodes', nodes: [] }

/** The number of entries before a result in which its call is searched. */
const NEAR_CALL = 256

/** The errors of unknown names, for which `present` is empty. */
const ABSENT: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'no-revision',
  'no-session',
  'no-branch',
  'no-entry',
  'before-first',
  'empty-session',
])

/**
 * Returns the set that an expression means in a store: names become entries, functions tests. Throws as `resolve` and
 * `bad-expression`, with the place in `source`.
 */
export const selectorOf = (
  expression: RevsetExpression,
  source: string,
  reading: RevsetContext,
): Promise<Selector<EntryHandle>> => new SelectorBuilder(source, reading).selector(expression)

class SelectorBuilder {
  readonly #source: string
  readonly #reading: RevsetContext
  #added: AddedUsage | undefined
  readonly #outputs: Outputs
  #seen: { readonly handle: EntryHandle; readonly view: View } | undefined

  constructor(source: string, reading: RevsetContext) {
    this.#source = source
    this.#reading = reading
    this.#outputs = new Outputs(reading.reader)
  }

  /** Recursive: the parser limits how deep expressions are nested. */
  async selector(expression: RevsetExpression): Promise<Selector<EntryHandle>> {
    switch (expression.kind) {
      case 'revision': {
        const { handle, session } = await this.#placed(expression.at, this.#resolve(expression.text))
        this.#reading.scope.name(session)
        return { op: 'nodes', nodes: [handle] }
      }
      case 'not':
        return { op: 'not', of: await this.selector(expression.of) }
      case 'and':
      case 'or': {
        const of: Selector<EntryHandle>[] = []
        for (const one of expression.of) of.push(await this.selector(one))
        return { op: expression.kind, of }
      }
      case 'range': {
        const [left, right] = [await this.selector(expression.left), await this.selector(expression.right)]
        const only: Selector<EntryHandle> = { op: 'reach', of: right, without: left }
        return expression.symmetric
          ? { op: 'or', of: [{ op: 'reach', of: left, without: right }, only] }
          : only
      }
      case 'compare': {
        const { field, sign, value } = expression
        const holds = COMPARE[sign]
        return this.#test(USAGE, async (handle) => {
          const number = await this.#numberOf(handle, field)
          return number !== undefined && holds(number, value)
        })
      }
      case 'call':
        return this.#call(expression)
    }
  }

  /** Returns the cost of an entry or its tokens; undefined if they are not known. */
  async #numberOf(handle: EntryHandle, field: ComparedField): Promise<number | undefined> {
    const { reader, scope, priceOf } = this.#reading
    const records = await scope.usageRecords()
    this.#added ??= new AddedUsage(reader, (one) => records.get(one))
    const view = await viewWithUsage(reader, handle, records.get(handle))
    const added = await this.#added.of(handle, view)
    return added && (field === 'cost' ? addedCost(added, priceOf) : addedTokens(added))
  }

  async #call({
    name,
    of,
    word = NO_WORD,
  }: RevsetExpression & { readonly kind: 'call' }): Promise<Selector<EntryHandle>> {
    const { reader, scope } = this.#reading
    const inner = (): Promise<Selector<EntryHandle>> =>
      of ? this.selector(of) : Promise.resolve({ op: 'all' })
    const count = word === NO_WORD ? undefined : Number(word.text)
    switch (name) {
      case 'all':
      case 'forks':
        return { op: name }
      case 'none':
        return NONE
      case 'session': {
        const session = await this.#placed(word.at, resolveSession(reader, word.text))
        scope.name(session)
        return { op: 'reach', of: { op: 'nodes', nodes: await tipsOf(reader, session) } }
      }
      case 'branches':
      case 'labels':
        return this.#refs(name, word)
      case 'ancestors':
        return count === undefined
          ? { op: 'reach', of: await inner() }
          : { op: 'generations', of: await inner(), count }
      case 'descendants':
      case 'parents':
      case 'children':
      case 'heads':
      case 'roots':
        return { op: name, of: await inner() }
      case 'latest':
      case 'first':
        return { op: name === 'latest' ? 'newest' : 'oldest', of: await inner(), count: count ?? 1 }
      case 'merges':
        return this.#test(NODE, async (handle) => (await reader.node(handle)).parents.length > 1)
      case 'compactions':
        return this.#test(NODE, async (handle) => ((await reader.node(handle)).traits & COMPACTS) !== 0)
      case 'role':
        return this.#test(NODE, async (handle) => roleOf((await reader.node(handle)).traits) === word.text)
      case 'type': {
        const pattern = namePattern(word)
        return this.#test(NODE, async (handle) => pattern.test((await reader.node(handle)).type))
      }
      case 'agent': {
        const pattern = namePattern(word)
        return this.#test(NODE, async (handle) =>
          agentsOf((await reader.node(handle)).type).some((agent) => pattern.test(agent)),
        )
      }
      case 'since':
        return this.#time(word, (time, when) => time >= when)
      case 'until':
        return this.#time(word, (time, when) => time < when)
      case 'tool': {
        const pattern = namePattern(word)
        return this.#test(BODY, async (handle) =>
          (await this.#toolsOf(handle)).some((tool) => pattern.test(tool)),
        )
      }
      case 'failed':
        return this.#views(({ blocks }) => blocks.some((block) => block.kind === 'toolResult' && block.error))
      case 'text': {
        const pattern = textPattern(word)
        return this.#test(BODY, async (handle) => {
          const view = await this.#view(handle)
          const isIn = (texts: readonly EntryText[]): boolean => texts.some(({ text }) => pattern.test(text))
          return isIn(textsOf(view)) || isIn(await this.#outputs.texts(handle, view))
        })
      }
      case 'present':
        try {
          return await inner()
        } catch (error) {
          if (error instanceof SessError && ABSENT.has(error.code)) return NONE
          throw error
        }
    }
  }

  #test(cost: number, holds: (handle: EntryHandle) => Promise<boolean>): Selector<EntryHandle> {
    return { op: 'test', test: { cost, holds } }
  }

  #views(holds: (view: View) => boolean): Selector<EntryHandle> {
    return this.#test(BODY, async (handle) => holds(await this.#view(handle)))
  }

  /** Tests of one entry, asked one after the other, read it once. */
  async #view(handle: EntryHandle): Promise<View> {
    if (this.#seen?.handle !== handle) {
      const { reader } = this.#reading
      this.#seen = { handle, view: await viewAt(reader, handle) }
    }
    return this.#seen.view
  }

  /** Returns the tools that an entry calls or has results of. A result that names none is of the tool that was called. */
  async #toolsOf(handle: EntryHandle): Promise<string[]> {
    const names: string[] = []
    const asked = new Set<string>()
    for (const block of (await this.#view(handle)).blocks)
      if (block.kind === 'toolCall') names.push(block.name)
      else if (block.kind === 'toolResult' && block.name !== undefined) names.push(block.name)
      else if (block.kind === 'toolResult') asked.add(block.id)
    const { reader } = this.#reading
    let at: EntryHandle | undefined = handle
    for (let steps = 0; asked.size > 0 && steps < NEAR_CALL; steps++) {
      at = (await reader.node(at)).parents[0]
      if (at === undefined) break
      for (const block of (await this.#view(at)).blocks)
        if (block.kind === 'toolCall' && asked.delete(block.id)) names.push(block.name)
    }
    return names
  }

  #time({ text, at }: RevsetWord, holds: (time: number, when: number) => boolean): Selector<EntryHandle> {
    const { scope, now, zone } = this.#reading
    const when = parseTime(text, now, zone)
    if (when === undefined)
      throw wrong(this.#source, at, `'${text}' is no time`, {
        hint: "times are such as 30m, 12h, 3d, 2w, yesterday, 2026-04-01 or '2026-04-01 12:00'",
      })
    return this.#test(TIME, async (handle) => {
      const time = (await scope.times()).get(handle)
      return time !== undefined && holds(time, when)
    })
  }

  async #refs(kind: 'branches' | 'labels', word: RevsetWord): Promise<Selector<EntryHandle>> {
    const { reader, scope } = this.#reading
    const pattern = word === NO_WORD ? undefined : namePattern(word)
    const oids = new Set<Oid>()
    for (const session of (await scope.visible()).sessions)
      for (const [name, oid] of kind === 'labels' ? session.labels : await allBranches(reader, session))
        if (pattern?.test(name) ?? true) oids.add(oid)
    const nodes: EntryHandle[] = []
    for (const oid of oids) {
      const handle = await reader.find(oid)
      if (handle !== undefined) nodes.push(handle)
    }
    return { op: 'nodes', nodes }
  }

  #resolve(text: string): Promise<{ readonly handle: EntryHandle; readonly session?: SessionTrunk }> {
    return resolve(this.#reading.reader, text)
  }

  /** Returns what a name means, or the error with the place of the name, and a hint where it is another word of the language. */
  async #placed<T>(at: Span, found: Promise<T>): Promise<T> {
    try {
      return await found
    } catch (error) {
      if (!(error instanceof SessError)) throw error
      const word = this.#source.slice(at.from, at.to)
      const meant = isFunction(word) ? usageOf(word) : ROLES.some((role) => role === word) && `role(${word})`
      if (meant && ABSENT.has(error.code))
        throw wrong(this.#source, at, `'${word}' is no session or entry`, {
          hint: `did you mean '${meant}'?`,
        })
      throw error.with({ at: { text: this.#source, from: at.from, to: at.to } })
    }
  }
}

const COMPARE: Readonly<Record<ComparisonSign, (number: number, value: number) => boolean>> = {
  '<': (number, value) => number < value,
  '<=': (number, value) => number <= value,
  '>': (number, value) => number > value,
  '>=': (number, value) => number >= value,
}

/** Returns a pattern for a text, or the regular expression that was written. */
const textPattern = ({ text, regex }: RevsetWord): Pattern => (regex ? regularExpression(text) : phrase(text))

/** Returns a test of whole names, or the regular expression that was written. */
const namePattern = ({ text, regex }: RevsetWord): NameTest =>
  regex ? regularExpression(text) : nameGlob(text)

const NO_WORD: RevsetWord = { text: '', regex: false, at: { from: 0, to: 0 } }

/** Returns the names of the agent whose entries have a type: its dialect, and its format as lists show it. */
function agentsOf(type: string): string[] {
  const dialect = type.slice(0, Math.max(0, type.indexOf('/')))
  return [dialect, ...FORMATS.flatMap((one) => (one.dialect === dialect ? [one.name] : []))]
}
