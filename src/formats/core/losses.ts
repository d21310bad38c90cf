import { jsonText } from '../../model/json.ts'
import type { Oid } from '../../model/oid.ts'
import type { Block, Role, View } from '../../model/view.ts'

/** What each loss means. The codes never change; the words may. */
export const LOSSES = {
  branch: 'the format holds one path: what is only on this branch is left out',
  'branch-name': 'the format has no names of branches',
  label: 'the format has no place for this label',
  title: 'the format has no place for the title',
  merge: 'the format knows one parent: what a merge brings besides is on no path',
  outside: 'it refers to an entry that is left out',
  opaque: 'only its own agent understands it',
  role: 'it is said by another speaker',
  text: 'its words are not all there, or are others',
  thinking: 'thinking is left out: it is valid with its own model only',
  image: 'an image is left out',
  call: 'the name or the arguments of a tool call are others',
  result: 'the text or the status of a tool result is another',
  order: 'it stands in another order',
  setting: 'the format has no such setting',
  edit: 'an edit is written as if it had been said so',
  summary: 'the summary of an abandoned path is written as a message',
  compaction: 'the compaction keeps something else, or is told in other words',
  'orphan-result': 'a tool result without its call is left out',
  'open-call': 'a tool call that was never answered is answered by an error',
  redacted: 'secrets are replaced by marks',
  expunged: 'what was removed from the store for good is not in it',
} as const

export type LossCode = keyof typeof LOSSES

/** Something that a written session does not carry. */
export interface Loss {
  readonly code: LossCode
  /** The entry that it was lost from; undefined where it belongs to the session. */
  readonly oid?: Oid
  /** What was lost, where the code alone does not say it: a name. */
  readonly subject?: string
}

/** What somebody says. */
type SpokenView = Pick<View, 'role' | 'blocks'>
type SpokenBlock = readonly [role: Role | null, block: Block]

/** The loss that names each kind of block. */
export const LOSS_OF_BLOCK = {
  text: 'text',
  thinking: 'thinking',
  image: 'image',
  toolCall: 'call',
  toolResult: 'result',
} as const satisfies Record<Block['kind'], LossCode>

/**
 * Returns what was lost where something was written as something else, by what both say.
 */
export function lossesBetween(said: readonly SpokenView[], written: readonly SpokenView[]): LossCode[] {
  const before = spokenIn(said)
  const after = spokenIn(written)
  const lost = Object.entries(LOSS_OF_BLOCK).flatMap(([kind, code]): LossCode[] =>
    same(wordsOf(before, kind), wordsOf(after, kind)) ? [] : [code],
  )
  const speakersIn = (spoken: readonly SpokenBlock[]): string[] =>
    spoken.filter(([, { kind }]) => !lost.includes(LOSS_OF_BLOCK[kind])).map(speaker)
  const [was, is] = [speakersIn(before), speakersIn(after)]
  if (same(was, is)) return lost
  return [...lost, same(was.sort(), is.sort()) ? 'order' : 'role']
}

/** Calls are the assistant's and results the tools', whatever message they stand in. */
const speaker = ([role, { kind }]: SpokenBlock): string =>
  kind === 'toolCall' || kind === 'toolResult' ? kind : `${kind} ${role}`

const spokenIn = (views: readonly SpokenView[]): SpokenBlock[] =>
  views.flatMap(({ role, blocks }) =>
    blocks
      .filter((block) => block.kind !== 'text' || block.text !== '')
      .map((block): SpokenBlock => [role, block]),
  )

const wordsOf = (spoken: readonly SpokenBlock[], kind: string): string[] =>
  spoken.flatMap(([, block]) => (block.kind === kind ? [textOf(block)] : []))

function textOf(block: Block): string {
  switch (block.kind) {
    case 'text':
    case 'thinking':
      return block.text
    case 'image':
      return `${block.mediaType} ${block.bytes}`
    case 'toolCall':
      return jsonText([block.id, block.name, block.input])
    case 'toolResult':
      return jsonText([block.id, block.text, block.error])
  }
}

const same = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((text, i) => text === b[i])
