import type { ComponentChildren, VNode } from 'preact'

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Returns a text as HTML shows it: nothing in it is markup, and what cannot be shown is not there. */
export const escaped = (text: string): string =>
  text
    .toWellFormed()
    // oxlint-disable-next-line no-control-regex
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/[&<>"']/g, (one) => ENTITIES[one] ?? one)

/** Elements without an end tag. */
const VOID = new Set(['br', 'col', 'hr', 'img', 'link', 'meta', 'input'])

/** Properties that are no attributes. */
const INNER = new Set(['children', 'key', 'ref'])

type Props = Readonly<Record<string, unknown>> & { readonly children?: ComponentChildren }

const isNode = (value: object): value is VNode => 'type' in value && 'props' in value

/** Returns what a component paints as HTML. Handlers of events are left out: a file has no script. */
export function htmlOf(node: ComponentChildren): string {
  if (typeof node === 'string') return escaped(node)
  if (typeof node === 'number' || typeof node === 'bigint') return String(node)
  if (Array.isArray(node)) return node.map(htmlOf).join('')
  if (typeof node !== 'object' || node === null || !isNode(node)) return ''
  const { type } = node
  const props = node.props as Props
  if (typeof type === 'function') return htmlOf((type as (given: Props) => ComponentChildren)(props))
  const open = `<${type}${Object.entries(props).map(attribute).join('')}>`
  return VOID.has(type) ? open : `${open}${htmlOf(props.children)}</${type}>`
}

function attribute([name, value]: readonly [string, unknown]): string {
  if (INNER.has(name) || value === undefined || value === null || value === false) return ''
  if (typeof value === 'function') return ''
  if (value === true) return name.startsWith('aria-') ? ` ${name}="true"` : ` ${name}`
  return typeof value === 'string' || typeof value === 'number' ? ` ${name}="${escaped(String(value))}"` : ''
}
