import { SessError } from '../model/errors.ts'
import type { RefUpdate } from '../ops/updateref.ts'

/** A command of `update-ref --stdin`: its form, and how many values follow the name. */
interface Verb {
  readonly form: string
  readonly least: number
  readonly most: number
  readonly update: (name: string, values: readonly (string | undefined)[]) => RefUpdate
}

/** Returns a value for an update: null for a missing ref. */
export const valueOrNone = (text: string): string | null => (/^(?:0{64})?$/.test(text) ? null : text)

const expected = (text: string | undefined): Pick<RefUpdate, 'from'> =>
  text === undefined ? {} : { from: valueOrNone(text) }

const VERBS: ReadonlyMap<string, Verb> = new Map([
  [
    'update',
    {
      form: 'update NAME NEW [OLD]',
      least: 1,
      most: 2,
      update: (name, [to = '', from]) => ({ name, to: valueOrNone(to), ...expected(from) }),
    },
  ],
  [
    'create',
    { form: 'create NAME NEW', least: 1, most: 1, update: (name, [to = '']) => ({ name, to, from: null }) },
  ],
  [
    'delete',
    {
      form: 'delete NAME [OLD]',
      least: 0,
      most: 1,
      update: (name, [from]) => ({ name, to: null, ...expected(from) }),
    },
  ],
  [
    'verify',
    {
      form: 'verify NAME [OLD]',
      least: 0,
      most: 1,
      update: (name, [from]) => ({ name, ...expected(from ?? '') }),
    },
  ],
])

/** Reads what is asked of refs, as `git update-ref --stdin` does: a line each, values with spaces in `"` `"`. */
export const updatesOf = (text: string): RefUpdate[] =>
  text.split('\n').flatMap((line, place) => {
    const [verb, name, ...values] = wordsOf(line, place + 1)
    return verb === undefined ? [] : [updateOf(verb, name, values, place + 1)]
  })

/** Parses the same with NUL after the name and after each value, none left out; an empty value is missing. */
export function updatesOfZero(text: string): RefUpdate[] {
  const updates: RefUpdate[] = []
  const fields = text.split('\0')
  if (fields.at(-1) === '') fields.pop()
  for (let at = 0; at < fields.length; ) {
    const [, verb = '', name] = /^(\S*) ?(.*)$/s.exec(fields[at] as string) ?? []
    const most = VERBS.get(verb)?.most ?? 0
    const values = fields.slice(at + 1, at + 1 + most)
    if (values.length < most) throw wrong(updates.length + 1, `'${verb}' lacks a value`)
    updates.push(
      updateOf(
        verb,
        name,
        values.map((value) => value || undefined),
        updates.length + 1,
      ),
    )
    at += 1 + most
  }
  return updates
}

function updateOf(
  word: string,
  name: string | undefined,
  values: readonly (string | undefined)[],
  number: number,
): RefUpdate {
  const verb = VERBS.get(word)
  if (!verb) throw wrong(number, `'${word}' is none of ${[...VERBS.keys()].join(', ')}`)
  const said = values.filter((value) => value !== undefined).length
  if (!name || said < verb.least || values.length > verb.most) throw wrong(number, `it is not '${verb.form}'`)
  return verb.update(name, values)
}

function wordsOf(line: string, number: number): string[] {
  return [...line.matchAll(/"(?:[^"\\]|\\.)*"|\S+/g)].map(([word]) => {
    if (!word.startsWith('"')) return word
    try {
      return String(JSON.parse(word))
    } catch (cause) {
      throw wrong(number, `${word} is not a text in quotes`, cause)
    }
  })
}

const wrong = (number: number, message: string, cause?: unknown): SessError =>
  new SessError('bad-usage', `line ${number}: ${message}`, {
    hint: "type 'sess help update-ref' to see the lines that it reads",
    cause,
  })
