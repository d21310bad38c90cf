import { asString, type Json, type JsonObject } from '../../model/json.ts'
import { bodyOf, KINDS } from './body.ts'

/** What sets one agent apart from others that write files in the form of pi. */
export interface PiDialect {
  /** The part of entry types before the slash. */
  readonly name: string
  /** The types of the records that carry an entry. */
  readonly kinds: ReadonlySet<string>
  /** The types that are known and carry none. */
  readonly passed: ReadonlySet<string>
  /** Gives the conversation-bearing part of a record of one of `kinds`. */
  readonly bodyOf: (kind: string, value: JsonObject) => Json
  /** Gives the title that a record gives the session, empty where it takes it away; undefined where it says nothing. */
  readonly titleIn: (value: JsonObject) => string | undefined
}

const oneLine = (text: string): string => text.replace(/[\r\n]+/g, ' ').trim()

/** pi itself. */
export const PI: PiDialect = {
  name: 'pi',
  kinds: KINDS,
  passed: new Set(['custom', 'label', 'leaf', 'session_info', 'usage']),
  bodyOf,
  titleIn: ({ type, name }) => (type === 'session_info' ? oneLine(asString(name) ?? '') : undefined),
}
