import type { Oid } from '../../model/encoding/oid.ts'
import { jsonText } from '../../model/json.ts'
import type { Block, Role, View } from '../../model/view.ts'

/** The losses by their codes. The codes never change; the messages may. */
export const LOSSES = {
  branch: 'the format holds one path: this branch is left out',
  'branch-name': 'the format has no branch names',
  label: 'the format has no place for this label',
  title: 'the format has no place for the title',
  merge: 'the format has one parent per entry: the merged path is left out',
  outside: 'it refers to an entry that is left out',
  opaque: 'only its own agent understands it',
  role: 'the speaker differs',
  text: 'the text is incomplete or differs',
  thinking: 'thinking is left out: only its own model accepts it',
  image: 'an image is left out',
  call: 'the name or the arguments of a tool call differ',
  result: 'the text or the status of a tool result differs',
  wrapped: 'the text of a tool call is written as an argument',
  order: 'the order differs',
  setting: 'the format has no such setting',
  edit: 'an edit is written as the original text',
  summary: 'the summary of an abandoned path is written as a message',
  compaction: 'the compaction keeps other entries, or its text differs',
  'orphan-result': 'a tool result without its call is left out',
  'open-call': 'a tool call without a result gets an error as its result',
  subagent: 'a sub-agent that it started is left out',
  sidecar: 'a file beside the session is left out',
  redacted: 'secrets are replaced by marks',
  expunged: 'content that was expunged is left out',
  base: 'it refers to a history in another session, which its agent needs beside it',
} as const

export type LossCode = keyof typeof LOSSES

/** Something that a written session does not carry. */
export interface Loss {
  readonly code: LossCode
  /** The entry that lost it; undefined if it belongs to the session. */
  readonly oid?: Oid
  /** The name of what was lost, if the code alone does not say it. */
  readonly subject?: string
}

/** A speaker and the blocks. */
type ComparedView = Pick<View, 'role' | 'blocks'>
type ComparedBlock = readonly [role: Role | null, block: Block]

/** The loss that names each kind of block. */
export const LOSS_OF_BLOCK = {
  text: 'text',
  thinking: 'thinking',
  image: 'image',
  toolCall: 'call',
  toolResult: 'result',
} as const satisfies Record<Block['kind'], LossCode>

/**
 * Returns the losses between the original views and those that were written, by comparing their blocks.
 */
export function lossesBetween(
  original: readonly ComparedView[],
  written: readonly ComparedView[],
): LossCode[] {
  const before = comparedBlocks(original)
  const after = comparedBlocks(written)
  const lost = Object.entries(LOSS_OF_BLOCK).flatMap(([kind, code]): LossCode[] =>
    same(wordsOf(before, kind), wordsOf(after, kind)) ? [] : [code],
  )
  const speakersIn = (blocks: readonly ComparedBlock[]): string[] =>
    blocks.filter(([, { kind }]) => !lost.includes(LOSS_OF_BLOCK[kind])).map(speaker)
  const [was, is] = [speakersIn(before), speakersIn(after)]
  if (same(was, is)) return lost
  return [...lost, same(was.sort(), is.sort()) ? 'order' : 'role']
}

/** Calls are the assistant's and results the tools', in whichever message they are. */
const speaker = ([role, { kind }]: ComparedBlock): string =>
  kind === 'toolCall' || kind === 'toolResult' ? kind : `${kind} ${role}`

const comparedBlocks = (views: readonly ComparedView[]): ComparedBlock[] =>
  views.flatMap(({ role, blocks }) =>
    blocks
      .filter((block) => block.kind !== 'text' || block.text !== '')
      .map((block): ComparedBlock => [role, block]),
  )

const wordsOf = (blocks: readonly ComparedBlock[], kind: string): string[] =>
  blocks.flatMap(([, block]) => (block.kind === kind ? [textOf(block)] : []))

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
