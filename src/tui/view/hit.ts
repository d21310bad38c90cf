import { lookOf } from '../../text/entry.ts'
import { type Display, firstLine, type Line, styled } from '../../text/text.ts'
import { minute } from '../../text/time.ts'
import { cut, pad } from '../../text/width.ts'
import type { Hit } from '../../verbs/types.ts'

const ROLE = 'assistant'.length
const TITLE = 24

/** Returns a hit of a search in one line: when, whose words, in which session, and the words. */
export function hitLine(
  { time, role, title, prompt, session, snippets }: Hit,
  { columns, zone }: Display,
): Line {
  const name = cut(firstLine(title ?? prompt ?? session), TITLE)
  const words = snippets.map(({ text }) => firstLine(text)).join(' … ')
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
