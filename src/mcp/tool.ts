import { SessError } from '../model/errors.ts'
import { isObject } from '../model/json.ts'
import { type InputOf, type Inputs, optional, withDefault } from '../verbs/input.ts'
import type { VerbContext } from '../verbs/open.ts'
import { arrayOf, described, nullable, object, type Schema, string } from '../verbs/schema.ts'
import { count, text } from '../verbs/values.ts'
import type { Terms, Verb } from '../verbs/verb.ts'
import { CITED } from './cited.ts'

/** One call of a tool. */
export interface ToolCall {
  readonly context: VerbContext
  /** Returns the id of the session whose agent asks; null where it is not known. */
  readonly asking: () => Promise<string | null>
  /** How many UTF-16 units the answer may have. */
  readonly room: number
}

/** An item of an answer, and the cursor with which the answer after it begins. */
export interface Item {
  readonly data: object
  readonly cursor?: string | undefined
}

/** The answer of a tool, before it is cut to its size. */
export interface Answer {
  /** Properties of the answer as a whole. */
  readonly about?: object
  readonly items: readonly Item[]
  /** The cursor to go on after all items; null at the end. */
  readonly next?: string | null
  /** Says what was left out, besides items for which there was no room. */
  readonly left?: string | undefined
}

/** A tool: what an agent can call, made of verbs. Its input is declared as that of a verb. */
export interface Tool<I extends Inputs = Inputs> extends Pick<Verb<I>, 'name' | 'effect' | 'input'> {
  readonly title: string
  /** When to call it and how to go on, for a model. Constant: no text of a store is in it. */
  readonly description: string
  /** Whether a call may say how large the answer is to be. */
  readonly isSized: boolean
  /** Whether a repeated call changes nothing more. */
  readonly isIdempotent: boolean
  readonly outputSchema: Schema
  run(call: ToolCall, input: InputOf<I>, terms: Terms): Promise<Answer>
}

/** The size of an answer in tokens, estimated: by default, and at most. Clients cut longer ones. */
const [BUDGET, MAX_BUDGET] = [6000, 20_000]

/** UTF-16 units per token of an answer: it is made of ids and quotes as well as prose. */
export const PER_TOKEN = 3

const SIZED = {
  budget: withDefault(count('tokens'), BUDGET, `size of the answer in tokens, at most ${MAX_BUDGET}`),
}

/** Returns how a tool is called: with its own inputs, and those that all tools of its kind have. */
export const callOf = ({ name, effect, input, isSized }: Tool): Pick<Tool, 'name' | 'effect' | 'input'> => ({
  name,
  effect,
  input: isSized ? { ...input, ...SIZED } : input,
})

/** Returns how many UTF-16 units an answer may have. */
export const roomOf = ({ budget = BUDGET }: { readonly budget?: number }): number =>
  PER_TOKEN * Math.min(MAX_BUDGET, Math.max(200, budget))

interface Declaration<I extends Inputs> extends Pick<Tool<I>, 'name' | 'title' | 'description' | 'run'> {
  readonly input: I
  readonly about?: Readonly<Record<string, Schema>>
  readonly item: Schema
}

/** The properties that are there even where nothing is known. */
export const ALWAYS: ReadonlySet<string> = new Set(['notice', 'items', ...Object.keys(CITED)])

/** Returns a schema in which all other properties are optional. */
function sparse(schema: Schema): Schema {
  const { properties, items, required } = schema
  return {
    ...schema,
    ...(isObject(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, one]) => [name, isObject(one) ? sparse(one) : one]),
      ),
    }),
    ...(isObject(items) && { items: sparse(items) }),
    ...(Array.isArray(required) && {
      required: (required as readonly string[]).filter((name) => ALWAYS.has(name)),
    }),
  }
}

const outputSchemaOf = ({ about = {}, item }: Pick<Declaration<Inputs>, 'about' | 'item'>): Schema =>
  sparse(
    object({
      notice: described('how to take the texts', string),
      ...about,
      items: arrayOf(item),
      next: described('pass it as cursor to go on; null at the end', nullable(string)),
      left: described('what was left out, and how to get it', nullable(string)),
    }),
  )

/** Declares a tool that reads. */
export const readTool = <I extends Inputs>({ about, item, ...declared }: Declaration<I>): Tool<I> => ({
  ...declared,
  effect: 'read',
  isSized: true,
  isIdempotent: true,
  outputSchema: outputSchemaOf({ ...(about && { about }), item }),
})

/** Declares a tool that writes. */
export const writeTool = <I extends Inputs>({
  about,
  item,
  ...declared
}: Declaration<I> & Pick<Tool<I>, 'isIdempotent'>): Tool<I> => ({
  ...declared,
  effect: 'write',
  isSized: false,
  outputSchema: outputSchemaOf({ ...(about && { about }), item }),
})

/** The input with which a list goes on. */
export const cursorInput = optional(text('cursor'), 'next of the answer before')

/** Returns the place that a cursor of a list without own cursors names. Throws `bad-usage` where it is none. */
export function placeOf(cursor: string | undefined): number {
  const place = Number(cursor ?? 0)
  if (Number.isSafeInteger(place) && place >= 0) return place
  throw new SessError('bad-usage', `'${cursor}' is no cursor of this list`)
}

/** Returns a number of items that is not larger than an answer has room for. */
export const atMost = (limit: number, max = 100): number => Math.min(max, Math.max(1, limit))
