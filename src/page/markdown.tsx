import type { Nodes } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmStrikethroughFromMarkdown } from 'mdast-util-gfm-strikethrough'
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table'
import { gfmStrikethrough } from 'micromark-extension-gfm-strikethrough'
import { gfmTable } from 'micromark-extension-gfm-table'
import { type ComponentChildren, h, type VNode } from 'preact'
import { Code } from './code.tsx'

/** Longer texts, and deeper nested ones, are shown as they are: parsing them takes too long. */
const MAX_PARSED_CHARS = 100_000
const MAX_DEPTH = 40
const DEEP = /^[\t >*+-]{120}/m
const MANY_BRACKETS = 2000

const OPTIONS = {
  extensions: [gfmTable(), gfmStrikethrough()],
  mdastExtensions: [gfmTableFromMarkdown(), gfmStrikethroughFromMarkdown()],
}

/** A text in Markdown. What is HTML in it is shown as text; a remote image is named and not loaded. */
export function Markdown({ text }: { readonly text: string }): VNode {
  if (isHard(text)) return <div class="md plain">{text}</div>
  const { children } = fromMarkdown(text, OPTIONS)
  return <div class="md">{children.map((one) => painted(one, 0))}</div>
}

const isHard = (text: string): boolean =>
  text.length > MAX_PARSED_CHARS || DEEP.test(text) || text.split('[', MANY_BRACKETS).length === MANY_BRACKETS

/** Returns the address of a link that may be followed. */
export const safeUrl = (url: string): string | undefined => (/^https?:\/\//i.test(url) ? url : undefined)

const TAGS: Readonly<Partial<Record<Nodes['type'], string>>> = {
  paragraph: 'p',
  emphasis: 'em',
  strong: 'strong',
  delete: 'del',
  blockquote: 'blockquote',
}

function painted(node: Nodes, depth: number): ComponentChildren {
  if (depth > MAX_DEPTH) return null
  const inner = (): ComponentChildren[] =>
    'children' in node ? node.children.map((child) => painted(child, depth + 1)) : []
  switch (node.type) {
    case 'text':
    case 'html':
      return node.value
    case 'inlineCode':
      return <code>{node.value}</code>
    case 'code':
      return <Code text={node.value} language={node.lang ?? ''} />
    case 'heading':
      return h(`h${Math.min(6, node.depth + 2)}`, null, inner())
    case 'list':
      return node.ordered ? <ol start={node.start ?? 1}>{inner()}</ol> : <ul>{inner()}</ul>
    case 'listItem':
      return <li>{itemContent(node.spread === true, inner(), node.children)}</li>
    case 'link':
      return <Link url={node.url}>{inner()}</Link>
    case 'image':
      return (
        <span class="absent">
          image: {node.alt || 'without a name'} <span class="url">{node.url.slice(0, 200)}</span>
        </span>
      )
    case 'break':
      return <br />
    case 'thematicBreak':
      return <hr />
    case 'table':
      return (
        <div class="scroll" tabIndex={0} role="region" aria-label="Table">
          <table>
            <thead>{row(node.children[0], 'th', depth)}</thead>
            <tbody>{node.children.slice(1).map((one) => row(one, 'td', depth))}</tbody>
          </table>
        </div>
      )
    default: {
      const tag = TAGS[node.type]
      return tag === undefined ? inner() : h(tag, null, inner())
    }
  }
}

/** The paragraph of a list item in which nothing is apart is a line of its own. */
const itemContent = (
  spread: boolean,
  inner: readonly ComponentChildren[],
  nodes: readonly Nodes[],
): ComponentChildren =>
  spread
    ? [...inner]
    : inner.map((one, i) => (nodes[i]?.type === 'paragraph' ? (one as VNode).props.children : one))

const row = (node: Nodes | undefined, cell: string, depth: number): ComponentChildren =>
  node && 'children' in node ? (
    <tr>
      {node.children.map((one) =>
        h(cell, null, 'children' in one ? one.children.map((child) => painted(child, depth + 2)) : null),
      )}
    </tr>
  ) : null

function Link({ url, children }: { readonly url: string; readonly children: ComponentChildren }): VNode {
  const safe = safeUrl(url)
  return safe === undefined ? (
    <span>{children}</span>
  ) : (
    <a href={safe} title={safe} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  )
}
