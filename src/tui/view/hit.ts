import { lookOf } from '../../text/entry.ts'
import { type Display, firstLine, type Line, styled } from '../../text/text.ts'
import { minute } from '../../text/time.ts'
import { cut, pad, widthOf } from '../../text/width.ts'
import type { Hit } from '../../verbs/types.ts'
import { ROOMY } from './pane.ts'

const ROLE = 'assistant'.length
const TITLE = 24

/** Returns a hit of a search in one line: when, whose words, in which session, and the words; or only the last two. */
export function hitLine(
  { time, role, title, prompt, session, snippets }: Hit,
  { columns, zone }: Display,
): Line {
  const name = cut(firstLine(title ?? prompt ?? session), TITLE)
  const words = snippets.map(({ text }) => firstLine(text)).join(' … ')
  if (columns < ROOMY) {
    const owner = cut(name, columns >> 2)
    return [' ', styled('cyan', owner), ' ', cut(words, Math.max(1, columns - widthOf(owner) - 2))]
  }
  return [
    ' ',
    styled('dim', minute(time, zone)),
    ' ',
    styled(lookOf(role), pad(role ?? '-', ROLE)),
    ' ',
    styled('cyan', pad(name, TITLE)),
    ' ',
    cut(words, Math.max(10, columns - 16 - ROLE - TITLE - 4)),
  ]
}
