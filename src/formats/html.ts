import { short } from '../model/encoding/oid.ts'
import { inputText } from '../model/search/entrytext.ts'
import { iso } from '../model/time.ts'
import type { Block } from '../model/view.ts'
import { changesOf, summaryOf } from './core/views.ts'
import { type Draft, type DraftEntry, type FormatWriter, type Lines, nameOf } from './core/writer.ts'

/**
 * Writes a path as one page that needs nothing else: no script, no network, images in it. Each entry is an article that
 * `#` and its oid lead to.
 */
export const html: FormatWriter = {
  branched: false,
  isForPeople: true,
  unresumed: 'it is a page to read',
  place: ({ id }) => [`${id}.html`],
  lines,
}

const STYLE = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{max-width:52rem;margin:2rem auto;padding:0 1rem}
article{border-left:3px solid #8888;padding:.1rem 1rem;margin:1rem 0}
article.user{border-color:#36c}article.assistant{border-color:#393}article.tool{border-color:#a60}
article:target{background:#fd03}
header,.change{font-size:.85rem;opacity:.75}
pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:.5rem 0;font:inherit}
details pre,pre.code{font:.85rem/1.4 ui-monospace,monospace}
.failed summary{color:#c33}
img{max-width:100%}`

const POLICY =
  "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

async function* lines(draft: Draft): Lines {
  const title = escaped(nameOf(draft))
  yield {
    text:
      `<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n` +
      `<meta http-equiv="Content-Security-Policy" content="${POLICY}">\n` +
      `<meta name="viewport" content="width=device-width">\n<meta name="referrer" content="no-referrer">\n` +
      `<title>${title}</title>\n<style>\n${STYLE}\n</style>\n<h1>${title}</h1>\n` +
      `<p>${[draft.id, draft.cwd, iso(draft.created)].flatMap((part) => (part ? escaped(part) : [])).join(' · ')}</p>\n`,
  }
  const labels = new Map<number, string[]>()
  for (const [label, at] of draft.labels) labels.set(at, [...(labels.get(at) ?? []), label])
  let at = 0
  for await (const entry of draft.entries()) {
    const text = articleOf(entry, labels.get(at) ?? [])
    if (text === undefined) yield { code: 'opaque', oid: entry.oid }
    else if (text !== '') yield { text, entry: at }
    if (entry.view.blocks.some((block) => block.kind === 'image' && !isShown(block)))
      yield { code: 'image', oid: entry.oid }
    at++
  }
  yield { text: '</html>\n' }
}

function articleOf({ oid, view, time }: DraftEntry, labels: readonly string[]): string | undefined {
  const summary = summaryOf(view)
  const replacement = view.effect?.kind === 'edit' ? (view.effect.replacement ?? []) : []
  const parts = [
    ...changesOf(view).map((change) => `<p class="change">${escaped(change)}</p>`),
    ...(summary ? [paragraph(summary.text)] : []),
    ...[...view.blocks, ...replacement].map(blockOf),
  ]
  if (parts.length === 0) return undefined
  if (parts.every((part) => part === '')) return ''
  const model = view.role === 'assistant' ? view.sets?.model?.id : undefined
  const about = [view.role ?? 'session', iso(time), model, ...labels].flatMap((part) =>
    part ? escaped(part) : [],
  )
  return (
    `<article id="${oid}" class="${view.role ?? 'session'}">\n` +
    `<header>${about.join(' · ')} · <a href="#${oid}">${short(oid)}</a></header>\n${parts.filter((part) => part !== '').join('\n')}\n</article>\n`
  )
}

function blockOf(block: Block): string {
  switch (block.kind) {
    case 'text':
      return block.text === '' ? '' : paragraph(block.text)
    case 'thinking':
      return folded('thinking', block.text)
    case 'toolCall':
      return folded(`→ ${block.name}`, inputText(block.input))
    case 'toolResult':
      return folded(`← ${block.name ?? 'result'}`, block.text, block.error ? 'failed' : '')
    case 'image':
      return isShown(block)
        ? `<p><img alt="" src="data:${escaped(block.mediaType)};base64,${block.data}"></p>`
        : `<p class="change">image: ${escaped(block.mediaType)}, ${block.blob === undefined ? `${block.bytes} bytes` : `missing: blob:sha256:${block.blob}`}</p>`
  }
}

/** Returns whether an image can be part of the page: it has bytes, and is of a passive type. */
const isShown = (block: Block): boolean =>
  block.kind === 'image' &&
  /^image\/(?:png|jpeg|gif|webp|avif)$/.test(block.mediaType) &&
  /^[A-Za-z0-9+/]+={0,2}$/.test(block.data ?? '')

const paragraph = (text: string): string => `<pre>${escaped(text)}</pre>`

const folded = (name: string, text: string, kind = ''): string =>
  `<details${kind && ` class="${kind}"`}><summary>${escaped(name)}</summary><pre>${escaped(text)}</pre></details>`

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
])

/** Returns a text as HTML shows it: nothing in it is markup, and what cannot be shown is not there. */
const escaped = (text: string): string =>
  text
    .toWellFormed()
    // oxlint-disable-next-line no-control-regex
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/[&<>"']/g, (one) => ENTITIES.get(one) ?? one)
