/* Markdown as blocks and the words in them: what agents write, in the forms of GitHub. */

/** A block of a text. */
export type Block =
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  | { readonly kind: 'code'; readonly language: string; readonly text: string }
  | { readonly kind: 'rule' }
  | { readonly kind: 'quote'; readonly blocks: readonly Block[] }
  | {
      readonly kind: 'list'
      /** The number of its first item; null where items have points. */
      readonly start: number | null
      readonly items: readonly (readonly Block[])[]
    }
  | {
      readonly kind: 'table'
      readonly head: readonly string[]
      readonly rows: readonly (readonly string[])[]
    }

const FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*([^\s`]*)[^`]*$/
const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/
/** Below a paragraph it makes that a heading. */
const UNDERLINE = /^ {0,3}([=-])\1*[ \t]*$/
const RULE = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/
const QUOTE = /^ {0,3}> ?/
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])( {1,4}|\t|$)/
const DELIMITERS = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/
/** Names an address, for links elsewhere in the text. */
const LINK = /^ {0,3}\[([^[\]]{1,500})\]:[ \t]*<?([^\s<>]+)>?(?:[ \t]+(?:"[^"]*"|'[^']*'|\([^()]*\)))?[ \t]*$/
const INDENTED = /^(?: {4}|\t)/

/** Deeper lists and quotes are shown as they were written: each level reads its lines once more. */
const MAX_DEPTH = 10

/** The addresses of links by the names that texts give them. */
export type Links = ReadonlyMap<string, string>

/** Returns the name of an address as links are looked up by it. */
export const linkName = (text: string): string => text.trim().replace(/\s+/g, ' ').toLowerCase()

/** Returns the blocks of a text, and the addresses that it names. */
export function blocksOf(text: string): { readonly blocks: readonly Block[]; readonly links: Links } {
  const links = new Map<string, string>()
  return { blocks: blocksIn(text.replaceAll('\r\n', '\n').split('\n'), 0, links), links }
}

/** The lines of a text, and which one is next. */
interface Lines {
  readonly lines: readonly string[]
  readonly links: Map<string, string>
  at: number
}

function blocksIn(lines: readonly string[], depth: number, links: Map<string, string>): Block[] {
  const blocks: Block[] = []
  const source: Lines = { lines, links, at: 0 }
  while (source.at < lines.length) {
    const line = lines[source.at] as string
    const named = LINK.exec(line)
    if (named) {
      const [, name = '', url = ''] = named
      if (!links.has(linkName(name))) links.set(linkName(name), url)
    }
    if (named || line.trim() === '') source.at++
    else blocks.push(nextBlock(source, line, depth))
  }
  return blocks
}

function nextBlock(source: Lines, line: string, depth: number): Block {
  const fence = FENCE.exec(line)
  if (fence) return fenced(source, fence)
  const heading = HEADING.exec(line)
  if (heading) {
    source.at++
    return { kind: 'heading', level: heading[1]?.length ?? 1, text: heading[2] ?? '' }
  }
  if (RULE.test(line)) {
    source.at++
    return { kind: 'rule' }
  }
  if (depth < MAX_DEPTH) {
    if (QUOTE.test(line)) return quote(source, depth)
    if (ITEM.test(line)) return list(source, line, depth)
  }
  if (INDENTED.test(line)) return indented(source)
  if (line.includes('|') && DELIMITERS.test(source.lines[source.at + 1] ?? '')) {
    const found = table(source, line)
    if (found) return found
  }
  return paragraph(source, depth)
}

function fenced(source: Lines, [, mark = '', language = '']: RegExpExecArray): Block {
  const { lines } = source
  const indent = /^ */.exec(lines[source.at] as string)?.[0].length ?? 0
  const text: string[] = []
  for (source.at++; source.at < lines.length; source.at++) {
    const line = lines[source.at] as string
    const end = line.trim()
    if (end.length >= mark.length && end === (mark[0] as string).repeat(end.length)) {
      source.at++
      break
    }
    text.push(indent > 0 ? line.replace(new RegExp(`^ {0,${indent}}`), '') : line)
  }
  return { kind: 'code', language, text: text.join('\n') }
}

function indented(source: Lines): Block {
  const text: string[] = []
  for (; source.at < source.lines.length; source.at++) {
    const line = source.lines[source.at] as string
    if (line.trim() !== '' && !INDENTED.test(line)) break
    text.push(line.replace(INDENTED, ''))
  }
  return { kind: 'code', language: '', text: text.join('\n').trimEnd() }
}

function quote(source: Lines, depth: number): Block {
  const inner: string[] = []
  for (; source.at < source.lines.length; source.at++) {
    const line = source.lines[source.at] as string
    const isLazy =
      !QUOTE.test(line) && line.trim() !== '' && inner.at(-1)?.trim() !== '' && !beginsBlock(line)
    if (!QUOTE.test(line) && !isLazy) break
    inner.push(line.replace(QUOTE, ''))
  }
  return { kind: 'quote', blocks: blocksIn(inner, depth + 1, source.links) }
}

const beginsBlock = (line: string): boolean =>
  FENCE.test(line) || HEADING.test(line) || RULE.test(line) || QUOTE.test(line) || ITEM.test(line)

const kindOfMark = (mark: string): string => (/\d/.test(mark) ? mark.slice(-1) : mark)

function list(source: Lines, first: string, depth: number): Block {
  const { lines } = source
  const [, , mark = '-'] = ITEM.exec(first) ?? []
  const items: (readonly Block[])[] = []
  while (source.at < lines.length) {
    const line = lines[source.at] as string
    const found = ITEM.exec(line)
    if (!found || RULE.test(line) || kindOfMark(found[2] ?? '') !== kindOfMark(mark)) break
    const width = found[0].length
    const inner = [line.slice(width)]
    for (source.at++; source.at < lines.length; source.at++) {
      const next = lines[source.at] as string
      if (next.trim() === '') {
        const after = lines[source.at + 1] ?? ''
        if (indentOf(after) < Math.min(width, 2) || after.trim() === '') break
        inner.push('')
        continue
      }
      const isInside = indentOf(next) >= Math.min(width, 2)
      const isLazy = inner.at(-1) !== '' && !beginsBlock(next)
      if (!isInside && !isLazy) break
      inner.push(next.slice(Math.min(indentOf(next), width)))
    }
    items.push(blocksIn(inner, depth + 1, source.links))
    // Items may stand apart.
    let next = source.at
    while (next < lines.length && (lines[next] as string).trim() === '') next++
    if (next < lines.length && ITEM.test(lines[next] as string)) source.at = next
  }
  return { kind: 'list', start: /\d/.test(mark) ? Number.parseInt(mark, 10) : null, items }
}

const indentOf = (line: string): number => /^ */.exec(line.replaceAll('\t', '    '))?.[0].length ?? 0

const cellsOf = (row: string): string[] =>
  row
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'))

function table(source: Lines, first: string): Block | undefined {
  const head = cellsOf(first)
  if (cellsOf(source.lines[source.at + 1] as string).length !== head.length) return undefined
  const rows: string[][] = []
  for (source.at += 2; source.at < source.lines.length; source.at++) {
    const line = source.lines[source.at] as string
    if (line.trim() === '' || !line.includes('|')) break
    const cells = cellsOf(line)
    rows.push(head.map((_, i) => cells[i] ?? ''))
  }
  return { kind: 'table', head, rows }
}

function paragraph(source: Lines, depth: number): Block {
  const text: string[] = []
  for (; source.at < source.lines.length; source.at++) {
    const line = source.lines[source.at] as string
    const under = text.length > 0 && UNDERLINE.exec(line)
    if (under) {
      source.at++
      return { kind: 'heading', level: under[1] === '=' ? 1 : 2, text: text.join('\n').trimEnd() }
    }
    if (line.trim() === '' || (text.length > 0 && depth < MAX_DEPTH && endsParagraph(line))) break
    text.push(line.replace(/^[ \t]+/, ''))
  }
  return { kind: 'paragraph', text: text.join('\n').trimEnd() }
}

/** A number other than 1 does not begin a list in the middle of a sentence. */
const endsParagraph = (line: string): boolean =>
  beginsBlock(line) && !/^ {0,3}(?:[2-9]|\d{2,9})[.)]/.test(line)
