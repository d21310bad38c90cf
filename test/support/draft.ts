import type { Loss } from '../../src/formats/core/losses.ts'
import { hexOf } from '../../src/formats/core/uuid.ts'
import type { Draft, DraftEntry, FormatWriter, Index } from '../../src/formats/core/writer.ts'
import { fullViewOf } from '../../src/formats/registry.ts'
import type { Oid } from '../../src/model/encoding/oid.ts'
import type { Json } from '../../src/model/json.ts'

/** The description of an entry: a body of sess's own messages, or all of it. */
export type DraftInput = Json | (Partial<DraftEntry> & { readonly type: string; readonly body: Json })

const isWhole = (input: DraftInput): input is Extract<DraftInput, { readonly type: string }> =>
  typeof input === 'object' && input !== null && 'type' in input && 'body' in input

/** Returns a draft of entries that follow each other, unless they name their parents. */
export function drafted(inputs: readonly DraftInput[], about: Partial<Draft> = {}): Draft {
  const entries = inputs.map((input, at): DraftEntry => {
    const fields = isWhole(input) ? input : { type: 'sess/message', body: input }
    return {
      oid: hexOf('entry', at) as Oid,
      view: fullViewOf(fields.type, fields.body),
      parents: at === 0 ? [] : [at - 1],
      links: {},
      children: 0,
      time: Date.UTC(2026, 0, 1, 0, at),
      ...fields,
    }
  })
  const childrenOf = (at: Index): number => entries.filter(({ parents }) => parents.includes(at)).length
  const editOf = (at: Index): { edit?: Index } => {
    const edit = entries.findLastIndex(({ links }) => links.target === at)
    return edit < 0 ? {} : { edit }
  }
  const whole = entries.map((entry, at) => ({ ...entry, children: childrenOf(at), ...editOf(at) }))
  return {
    id: '00000000-0000-8000-8000-000000000000',
    cwd: '/home/ada',
    created: Date.UTC(2026, 0, 1),
    count: whole.length,
    ...(whole.length > 0 && { tip: whole.length - 1 }),
    branches: new Map([['main', whole.length - 1]]),
    labels: new Map(),
    losses: [],
    entries: () => eachOf(whole),
    read: (at) => Promise.resolve(whole[at] as DraftEntry),
    oid: (at) => Promise.resolve((whole[at] as DraftEntry).oid),
    ...about,
  }
}

async function* eachOf<T>(values: readonly T[]): AsyncGenerator<T> {
  for (const value of values) yield await Promise.resolve(value)
}

/** Writes a draft, and gives the text, its lines as values where they are JSON, and the losses. */
export async function writtenBy(
  writer: FormatWriter,
  draft: Draft,
): Promise<{ text: string; entries: (Index | undefined)[]; losses: Loss[] }> {
  const losses: Loss[] = []
  const entries: (Index | undefined)[] = []
  let text = ''
  for await (const line of writer.lines(draft)) {
    if ('code' in line) losses.push(line)
    else {
      text += line.text
      entries.push(line.entry)
    }
  }
  return { text, entries, losses }
}

/** A record of any agent, as far as tests look into it. */
interface Written {
  readonly type?: string
  readonly subtype?: string
  readonly uuid?: string
  readonly id?: string
  readonly parentId?: string | null
  readonly message?: { readonly content?: unknown }
  readonly payload?: unknown
}

/** Returns the JSON values of lines. */
export const valuesIn = (text: string): Written[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Written)
