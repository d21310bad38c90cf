import type { ComponentChildren } from 'preact'
import { Code, PlainCode } from './code.tsx'
import { DiffText, DiffView } from './diffview.tsx'
import { escaped, type Forms, htmlOf } from './html.ts'
import { Icon, IconShapes, NamedIcon } from './icons.tsx'
import { FILE_STYLE, STYLE } from './style.ts'

/** Nothing runs, and nothing is read from elsewhere. */
const POLICY =
  "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

const FORMS: Forms = new Map<unknown, (props: never) => ComponentChildren>([
  [Code, PlainCode],
  [DiffView, DiffText],
  [Icon, NamedIcon],
])

const squeezed = (css: string): string => css.replace(/\/\*[^]*?\*\//g, '').replace(/\s+/g, ' ')

/** Returns what a component paints, as a part of a page in a file. */
export const painted = (node: ComponentChildren): string => `${htmlOf(node, FORMS)}\n`

/** Returns the beginning of a page that needs nothing else: no script, no network. */
export const pageBegin = (title: string, view: 'read' | 'cmp'): string =>
  `<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n` +
  `<meta http-equiv="Content-Security-Policy" content="${POLICY}">\n` +
  `<meta name="viewport" content="width=device-width,initial-scale=1">\n<meta name="referrer" content="no-referrer">\n` +
  `<meta name="color-scheme" content="light dark">\n<title>${escaped(title)}</title>\n<style>${squeezed(STYLE + FILE_STYLE)}</style>\n` +
  `${painted(<IconShapes />)}<main class="${view}">\n`

/** The end of such a page. */
export const PAGE_END = '<footer class="file-ft">written by sess</footer>\n</main>\n</html>\n'
