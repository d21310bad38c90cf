import { asString, field, type Json } from '../../model/json.ts'
import { OPAQUE, type Usage, type View } from '../../model/view.ts'
import { blocksOf } from '../blocks.ts'
import { speakerOf } from '../speaker.ts'

/** Gives what an entry of Aider means, from its kind and body. */
export function view(kind: string, body: Json): View {
  if (kind === 'usage') return usageView(asString(field(body, 'tokens')) ?? '')
  if (kind !== 'message') return OPAQUE
  const text = asString(field(body, 'content'))?.replaceAll('\r\n', '\n')
  const blocks = blocksOf(text)
  const id = asString(field(body, 'model'))
  return {
    role: speakerOf(field(body, 'role'), blocks),
    blocks,
    ...(id !== undefined && { sets: { model: { id } } }),
  }
}

const COUNTS = [
  ['input', /([\d.,]+[kM]?) sent/],
  ['output', /([\d.,]+[kM]?) received/],
  ['cacheRead', /([\d.,]+[kM]?) cache hit/],
  ['cacheWrite', /([\d.,]+[kM]?) cache write/],
] as const

/** `Tokens: 2.3k sent, 193 received. Cost: $0.0012 message, $0.01 session.`, in older releases `request`. */
function usageView(told: string): View {
  const usage: { -readonly [K in keyof Usage]: Usage[K] } = {}
  for (const [name, count] of COUNTS) {
    const text = count.exec(told)?.[1]
    if (text !== undefined) usage[name] = numberIn(text)
  }
  const cost = /\$([\d.,]+) (?:message|request)/.exec(told)?.[1]
  if (cost !== undefined) usage.cost = numberIn(cost)
  return { ...OPAQUE, usage, note: told }
}

const SCALES: Readonly<Record<string, number>> = { k: 1e3, M: 1e6 }

function numberIn(text: string): number {
  const scale = SCALES[text.at(-1) ?? ''] ?? 1
  const number = Number(text.replaceAll(',', '').replace(/[kM]$/, ''))
  return Number.isNaN(number) ? 0 : scale === 1 ? number : Math.round(number * scale)
}
