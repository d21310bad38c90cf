import type { ComponentChildren, VNode } from 'preact'

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

// oxlint-disable-next-line no-control-regex
const NOT_PLAIN = /[&<>"'\u0000-\u0008\u000b-\u001f\u007f\u202a-\u202e\u2066-\u2069]/g

/** Returns a text as HTML shows it: nothing in it is markup, and what cannot be shown is not there. */
export const escaped = (text: string): string =>
  text.toWellFormed().replace(NOT_PLAIN, (one) => ENTITIES[one] ?? '')

/** Elements without an end tag. */
const VOID = new Set(['br', 'col', 'hr', 'img', 'link', 'meta', 'input'])

/** Properties that are no attributes. */
const INNER = new Set(['children', 'key', 'ref', 'title'])

type Props = Readonly<Record<string, unknown>> & { readonly children?: ComponentChildren }

const isNode = (value: object): value is VNode => 'type' in value && 'props' in value

/** The components that take the place of others in a file. */
export type Forms = ReadonlyMap<unknown, (props: never) => ComponentChildren>

/** Returns what a component paints as HTML. Handlers of events and data for scripts are left out: a file has no script. */
export function htmlOf(node: ComponentChildren, forms: Forms): string {
  if (typeof node === 'string') return escaped(node)
  if (typeof node === 'number' || typeof node === 'bigint') return String(node)
  if (Array.isArray(node)) {
    let all = ''
    for (const one of node as readonly ComponentChildren[]) all += htmlOf(one, forms)
    return all
  }
  if (typeof node !== 'object' || node === null || !isNode(node)) return ''
  const { type } = node
  const props = node.props as Props
  if (typeof type === 'function') {
    const component = (forms.get(type) ?? type) as (given: Props) => ComponentChildren
    return htmlOf(component(props), forms)
  }
  let open = `<${type}`
  for (const name of Object.keys(props)) open += attribute(name, props[name])
  return VOID.has(type) ? `${open}>` : `${open}>${htmlOf(props.children, forms)}</${type}>`
}

function attribute(name: string, value: unknown): string {
  if (INNER.has(name) || name.startsWith('data-') || value === undefined || value === null || value === false)
    return ''
  if (typeof value === 'function') return ''
  const written = name === 'tabIndex' ? 'tabindex' : name === 'dateTime' ? 'datetime' : name
  if (value === true) return name.startsWith('aria-') ? ` ${written}="true"` : ` ${written}`
  return typeof value === 'string' || typeof value === 'number'
    ? ` ${written}="${escaped(String(value))}"`
    : ''
}
