import { fencedBlock, flat } from '../model/markdown.ts'
import { inputText } from '../model/search/entrytext.ts'
import { iso } from '../model/time.ts'
import type { Block } from '../model/view.ts'
import { changesOf, summaryOf } from './core/views.ts'
import {
  type Draft,
  type DraftEntry,
  type FormatWriter,
  type Lines,
  lostLabels,
  nameOf,
} from './core/writer.ts'

/** Writes a path as Markdown, to be read by people. */
export const markdown: FormatWriter = {
  branched: false,
  isForPeople: true,
  unresumed: 'it is a text to read',
  place: ({ id }) => [`${id}.md`],
  lines,
}

async function* lines(draft: Draft): Lines {
  const title = nameOf(draft)
  const about = [draft.id, draft.cwd, iso(draft.created)?.slice(0, 16).replace('T', ' ')]
  yield { text: `# ${flat(title)}\n\n${about.filter((part) => part && part !== title).join(' · ')}\n` }
  let at = 0
  let speaker: Speaker | undefined
  for await (const entry of draft.entries()) {
    const parts = partsOf(entry)
    const said = parts.filter((part) => part !== '')
    if (parts.length === 0) yield { code: 'opaque', oid: entry.oid }
    else if (said.length > 0) {
      const now = speakerOf(entry)
      const heading = now === speaker && now !== 'User' ? [] : [headingOf(now, entry)]
      yield { text: `\n${[...heading, ...said].join('\n\n')}\n`, entry: at }
      speaker = now
    }
    if (entry.view.blocks.some(({ kind }) => kind === 'image')) yield { code: 'image', oid: entry.oid }
    at++
  }
  yield* lostLabels(draft)
}

type Speaker = 'User' | 'Assistant' | 'System' | 'Session'

/** The results of tools belong to the turn of the assistant, who called them. */
const NAMES = { user: 'User', assistant: 'Assistant', tool: 'Assistant', system: 'System' } as const

const speakerOf = ({ view: { role, aside } }: DraftEntry): Speaker =>
  role === null ? 'Session' : aside ? 'System' : NAMES[role]

const headingOf = (speaker: Speaker, { time }: DraftEntry): string =>
  `## ${speaker}${time === undefined ? '' : ` · ${iso(time)?.slice(0, 16).replace('T', ' ')}`}`

function partsOf({ view }: DraftEntry): string[] {
  const replacement = view.effect?.kind === 'edit' ? (view.effect.replacement ?? []) : []
  return [
    ...changesOf(view).map((change) => `*${change}*`),
    ...[summaryOf(view)?.text ?? []].flat(),
    ...[...view.blocks, ...replacement].map(blockOf),
  ]
}

function blockOf(block: Block): string {
  switch (block.kind) {
    case 'text':
      return block.text.trim()
    case 'thinking':
      return block.text.trim() === '' ? '' : block.text.trim().replace(/^/gm, '> ')
    case 'toolCall':
      return `**→ ${flat(block.name)}**\n\n${fencedBlock(inputText(block.input))}`
    case 'toolResult':
      return `**← ${block.error ? 'failed' : 'result'}${block.name ? ` of ${flat(block.name)}` : ''}**\n\n${fencedBlock(block.text)}`
    case 'image':
      return `*image: ${block.mediaType}, ${block.bytes} bytes*`
  }
}
