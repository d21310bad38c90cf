import { Verbatim } from '../../model/encoding/verbatim.ts'
import { isDeep, isObject, type Json, type JsonObject } from '../../model/json.ts'
import type { Block } from '../../model/view.ts'
import { callInput, type TextArguments } from '../core/callinput.ts'

/** The characters that ids of calls and names of tools may not have. */
const FORBIDDEN = /[^a-zA-Z0-9_-]/g

/** The longest name of a tool that every API takes. */
const LONGEST_NAME = 64

/** Returns a name for a tool that every API takes. */
export const toolName = (name: string): string =>
  name.replace(FORBIDDEN, '_').slice(0, LONGEST_NAME) || 'tool'

/**
 * Assigns ids to tool calls that an API accepts and that are unique: a call keeps its id if possible. An id depends
 * only on the calls before it.
 */
export class CallIds {
  readonly #longest: number
  readonly #assigned = new Set<string>()
  /** How often each resulting id was requested. */
  readonly #requests = new Map<string, number>()

  constructor(longest: number) {
    this.#longest = longest
  }

  next(id: string): string {
    const wanted = id.replace(FORBIDDEN, '_').slice(0, this.#longest) || 'call'
    let assigned = wanted
    let count = this.#requests.get(wanted) ?? 0
    while (this.#assigned.has(assigned)) {
      const suffix = `_${++count + 1}`
      assigned = wanted.slice(0, this.#longest - suffix.length) + suffix
    }
    this.#requests.set(wanted, count)
    this.#assigned.add(assigned)
    return assigned
  }
}

/** Returns the arguments of a call as an object of plain JSON. */
export function soundInput(call: Extract<Block, { kind: 'toolCall' }>, texts?: TextArguments): JsonObject {
  const input = sound(callInput(call, texts))
  // An object that is nested too deep is a text by now.
  return isObject(input) ? input : (callInput({ ...call, input }, texts) as JsonObject)
}

/** Returns a value as every JSON parser takes it; what is nested too deep stays text. */
function sound(value: Json): Json {
  // APIs refuse half surrogate pairs.
  if (typeof value === 'string') return value.toWellFormed()
  // JSON has no number that no double holds
  if (typeof value === 'number') return Number.isFinite(value) ? value : `${value}`
  if (value instanceof Verbatim) return opened(value)
  if (Array.isArray(value)) return value.map(sound)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key.toWellFormed(), sound(part)]))
}

function opened({ text }: Verbatim): Json {
  return isDeep(text) ? text.toWellFormed() : sound(JSON.parse(text) as Json)
}
