import { fencedBlock, flat } from '../model/markdown.ts'
import { inputText } from '../model/search/entrytext.ts'
import { iso } from '../model/time.ts'
import type { Block } from '../model/view.ts'
import { changesOf, summaryOf } from './core/views.ts'
import { type Draft, type DraftEntry, type FormatWriter, type Lines, lostLabels } from './core/writer.ts'

/** Writes a path as Markdown, to be read by people. */
export const markdown: FormatWriter = {
  branched: false,
  unresumed: 'it is a text to read',
  place: ({ id }) => [`${id}.md`],
  lines,
}

async function* lines(draft: Draft): Lines {
  const about = [draft.cwd, iso(draft.created)?.slice(0, 16).replace('T', ' ')]
  const title = draft.title ?? draft.id
  yield { text: `# ${flat(title)}\n\n${about.filter((part) => part).join(' · ')}\n` }
  let at = 0
  for await (const entry of draft.entries()) {
    const text = textOf(entry)
    if (text === '') yield { code: 'opaque', oid: entry.oid }
    else yield { text, entry: at }
    if (entry.view.blocks.some(({ kind }) => kind === 'image')) yield { code: 'image', oid: entry.oid }
    at++
  }
  yield* lostLabels(draft)
}

const NAMES = { user: 'User', assistant: 'Assistant', tool: 'Tool', system: 'System' } as const

function textOf({ view, time }: DraftEntry): string {
  const parts = [...changesOf(view).map((change) => `*${change}*`), summaryOf(view)?.text ?? []].flat()
  const replacement = view.effect?.kind === 'edit' ? (view.effect.replacement ?? []) : []
  parts.push(...[...view.blocks, ...replacement].map(blockOf))
  if (parts.length === 0) return ''
  const clock = time === undefined ? '' : ` · ${iso(time)?.slice(0, 16).replace('T', ' ')}`
  const heading = `## ${view.role === null ? 'Session' : NAMES[view.role]}${clock}`
  return `\n${[heading, ...parts.filter((part) => part !== '')].join('\n\n')}\n`
}

function blockOf(block: Block): string {
  switch (block.kind) {
    case 'text':
      return block.text.trim()
    case 'thinking':
      return block.text.trim().replace(/^/gm, '> ')
    case 'toolCall':
      return `**→ ${flat(block.name)}**\n\n${fencedBlock(inputText(block.input))}`
    case 'toolResult':
      return `**← ${block.error ? 'failed' : 'result'}${block.name ? ` of ${flat(block.name)}` : ''}**\n\n${fencedBlock(block.text)}`
    case 'image':
      return `*image: ${block.mediaType}, ${block.bytes} bytes*`
  }
}
