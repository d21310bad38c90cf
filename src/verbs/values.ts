import type { Json } from '../model/json.ts'
import { parseTime, type Zone } from '../model/time.ts'
import { integer, number, oneOf, type Schema, string } from './schema.ts'

/** Kinds of names: an interface offers names of the kind of a value, and errors suggest them. */
export type NameKind =
  | 'session'
  | 'revision'
  | 'revset'
  | 'branch'
  | 'label'
  | 'labels'
  | 'pair'
  | 'pairs'
  | 'key'
  | 'operation'
  | 'ref'
  | 'agent'
  | 'source-format'
  | 'file'
  | 'folder'
  | 'setting'

/** Where a text was typed: relative paths and times mean something there. */
export interface Where {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly zone: Zone
  /** Returns the absolute path of a path. */
  readonly absolute: (path: string) => string
}

/** A kind of value: what is typed, and what it means. */
export interface Value<T, Kind extends string = NameKind> {
  /** Its name in help. */
  readonly name: string
  /** A description of it, to follow the word "takes": `a whole number`. */
  readonly takes: string
  /** Returns the meaning of what was typed; undefined where it has none. */
  readonly read: (typed: string, where: Where) => T | undefined
  /** The JSON form of it: the text that is typed, a number, or what `take` takes. */
  readonly schema: Schema
  /** Returns the meaning of JSON that is no text; undefined where it has none. */
  readonly take?: (value: Json) => T | undefined
  readonly kind?: Kind
  readonly choices?: readonly string[]
  readonly hint?: string
}

/** Returns a kind of names; it returns a value with a name for help. */
export const words =
  <Kind extends string>(usual: string, kind?: Kind) =>
  (name = usual): Value<string, Kind> => ({
    name,
    takes: 'a text',
    read: (typed) => typed,
    schema: string,
    ...(kind && { kind }),
  })

/** A text that means nothing more. */
export const text = words<never>('text')
export const session = words('session', 'session')
/** A session, a branch, a label or an entry; for some verbs also a range. */
export const revision = words('revision', 'revision')
export const revset = words('expression', 'revset')
export const branch = words('branch', 'branch')
/** A label of the session in question. */
export const label = words('label', 'label')
/** A label of any session. */
export const anyLabel = words('label', 'labels')
/** A `KEY=VALUE` of the session in question. */
export const pair = words('pair', 'pair')
/** A `KEY=VALUE` of any session. */
export const anyPair = words('condition', 'pairs')
export const pairKey = words('key', 'key')
export const operation = words('operation', 'operation')
/** The full name of a ref, as `for-each-ref` prints it. */
export const ref = words('name', 'ref')
export const settingKey = words('key', 'setting')
export const agent = words('agent', 'agent')
/** The name of a format that is read, or of its dialect. */
export const sourceFormat = words('format', 'source-format')

/** An empty path is a variable that is not set, and would mean another place. */
const filled = (typed: string): string | undefined => typed || undefined

/** A path as it was typed. */
export const file = (name = 'file'): Value<string> => ({
  name,
  takes: 'a path',
  read: filled,
  schema: string,
  kind: 'file',
})

/** The absolute path of a folder. */
export const folder = (): Value<string> => ({
  name: 'dir',
  takes: 'a path',
  read: (typed, { absolute }) => filled(typed) && absolute(typed),
  schema: string,
  kind: 'folder',
})

/** A whole number from 0. */
export const count = (name = 'n'): Value<number> => ({
  name,
  takes: 'a whole number',
  read: (typed) => (/^\d+$/.test(typed) && Number.isSafeInteger(Number(typed)) ? Number(typed) : undefined),
  schema: integer,
})

/** A number of seconds, fractions allowed. */
export const seconds = (): Value<number> => ({
  name: 'seconds',
  takes: 'a number of seconds',
  read: (typed) => (/^\d+(?:\.\d+)?$/.test(typed) ? Number(typed) : undefined),
  schema: number,
})

/** How times are written. */
const TIMES = 'write a duration such as 12h, 3d, 2w, or a day such as yesterday, 2026-04-01'

/** A time, in milliseconds since 1970. */
export const time = (name = 'time'): Value<number> => ({
  name,
  takes: name === 'age' ? 'an age' : 'a time',
  hint: TIMES,
  read: (typed, { now, zone }) => parseTime(typed, now(), zone),
  schema: string,
})

/** One of some words. */
export const choice = <const W extends readonly string[]>(choices: W, name: string): Value<W[number]> => ({
  name,
  takes: choices.length > 1 ? `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}` : `${choices[0]}`,
  read: (typed) => choices.find((one) => one === typed),
  schema: oneOf(...choices),
  choices,
})
