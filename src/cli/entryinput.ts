import { SessError } from '../model/errors.ts'
import { defined, isObject, type JsonObject } from '../model/json.ts'
import { parseJson } from '../model/value.ts'
import { type Append, draftIn, entryIn } from '../verbs/entry.ts'
import type { EntryDraft } from '../verbs/types.ts'
import { inputBytes } from './stdin.ts'

/** The result of parsing lines: the entries before the first invalid line, and its error. */
export interface Entries<T> {
  readonly entries: readonly T[]
  readonly wrong?: SessError
}

/** Reads lines as entries; `first` is the number of the first line. Empty lines are skipped. */
export const entriesOf = (lines: readonly Uint8Array[], first: number): Entries<Append> =>
  readLines(lines, first, entryIn)

/** Reads lines as entries that name their relatives by revisions. */
export const draftsOf = (lines: readonly Uint8Array[], first: number): Entries<EntryDraft> =>
  readLines(lines, first, draftIn)

function readLines<T>(
  lines: readonly Uint8Array[],
  first: number,
  read: (value: JsonObject) => T,
): Entries<T> {
  const entries: T[] = []
  for (const [place, line] of lines.entries()) {
    try {
      const value = objectIn(line)
      if (value) entries.push(read(value))
    } catch (error) {
      if (!(error instanceof SessError)) throw error
      return { entries, wrong: new SessError('bad-entry', `line ${first + place}: ${reasonOf(error)}`) }
    }
  }
  return { entries }
}

function objectIn(line: Uint8Array): JsonObject | undefined {
  const text = utf8(line)
  if (text.trim() === '') return undefined
  const value = parseJson(text)?.value
  if (value === undefined) throw new SessError('bad-entry', 'it is not JSON')
  if (!isObject(value)) throw new SessError('bad-entry', 'it is not a JSON object')
  return value
}

/** The rest of an error message after its first words. */
const reasonOf = ({ message }: SessError): string => message.slice(message.indexOf(': ') + 2)

function utf8(bytes: Uint8Array, hint?: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new SessError('bad-entry', 'it is not UTF-8', { cause, ...defined({ hint }) })
  }
}

/** Returns all of standard input as one text. Throws `bad-entry` if it is not UTF-8, and as `inputBytes`. */
export const textOf = async (stream: AsyncIterable<Uint8Array>): Promise<string> =>
  utf8(await inputBytes(stream), 'give it as text in UTF-8')
