import { type ComponentChildren, h, type VNode } from 'preact'
import { type Block, blocksOf, type Links } from './blocks.ts'
import { Code } from './code.tsx'
import { type Inline, inlineOf } from './inline.ts'

/** Longer texts are shown as they are. */
const MAX_PARSED_CHARS = 200_000

/** A text in Markdown. What is HTML in it is shown as text; a remote image is named and not loaded. */
export function Markdown({ text }: { readonly text: string }): VNode {
  if (text.length > MAX_PARSED_CHARS) return <div class="md plain">{text}</div>
  const { blocks, links } = blocksOf(text)
  return <div class="md">{paintBlocks(blocks, links)}</div>
}

/** Returns the address of a link that may be followed. */
const safeUrl = (url: string): string | undefined => (/^https?:\/\//i.test(url) ? url : undefined)

const paintBlocks = (blocks: readonly Block[], links: Links): VNode[] =>
  blocks.map((block) => paintBlock(block, links))

function paintBlock(block: Block, links: Links): VNode {
  const inline = (text: string): ComponentChildren => inlineOf(text, links).map(paintInline)
  switch (block.kind) {
    case 'paragraph':
      return <p>{inline(block.text)}</p>
    case 'heading':
      return h(`h${Math.min(6, block.level + 2)}`, null, inline(block.text))
    case 'code':
      return <Code text={block.text} language={block.language} />
    case 'rule':
      return <hr />
    case 'quote':
      return <blockquote>{paintBlocks(block.blocks, links)}</blockquote>
    case 'list': {
      const items = block.items.map((blocks) => <li>{itemContent(blocks, inline, links)}</li>)
      return block.start === null ? <ul>{items}</ul> : <ol start={block.start}>{items}</ol>
    }
    case 'table':
      return (
        <div class="scroll" tabIndex={0} role="region" aria-label="Table">
          <table>
            <thead>
              <tr>
                {block.head.map((cell) => (
                  <th scope="col">{inline(cell)}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {block.rows.map((row) => (
                <tr>
                  {row.map((cell) => (
                    <td>{inline(cell)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )
  }
}

const TASK = /^\[([ xX])\] /

/** The paragraph that an item begins with is its line. */
function itemContent(
  blocks: readonly Block[],
  inline: (text: string) => ComponentChildren,
  links: Links,
): ComponentChildren {
  const [first, ...rest] = blocks
  if (first?.kind !== 'paragraph') return paintBlocks(blocks, links)
  const task = TASK.exec(first.text)
  const text = task ? first.text.slice(task[0].length) : first.text
  return (
    <>
      {task && <span class={task[1] === ' ' ? 'task' : 'task done'}>{task[1] === ' ' ? '○ ' : '✓ '}</span>}
      {inline(text)}
      {paintBlocks(rest, links)}
    </>
  )
}

function paintInline(part: Inline): ComponentChildren {
  if (typeof part === 'string') return part
  switch (part.kind) {
    case 'code':
      return <code>{part.text}</code>
    case 'break':
      return <br />
    case 'image':
      return (
        <span class="absent">
          image: {part.alt || 'without a name'} <span class="url">{part.url.slice(0, 200)}</span>
        </span>
      )
    case 'link': {
      const inner = part.inner.map(paintInline)
      const url = safeUrl(part.url)
      return url === undefined ? (
        <span title={part.url.slice(0, 200)}>{inner}</span>
      ) : (
        <a href={url} title={url} target="_blank" rel="noopener noreferrer">
          {inner}
        </a>
      )
    }
    default:
      return h(part.kind, null, part.inner.map(paintInline))
  }
}
