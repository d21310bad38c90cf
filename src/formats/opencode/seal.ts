import { asString, field, type Json } from '../../model/json.ts'
import type { Block } from '../../model/view.ts'

/** Returns the first seal of a thought among what providers keep: a signature of Anthropic's, or what OpenAI encrypted. */
export function sealAmong(kept: Iterable<Json>): Pick<Extract<Block, { kind: 'thinking' }>, 'seal'> {
  for (const of of kept) {
    const [signature, encrypted] = [field(of, 'signature'), field(of, 'reasoningEncryptedContent')].map(
      asString,
    )
    if (signature) return { seal: { api: 'anthropic', value: signature } }
    if (encrypted) return { seal: { api: 'openai', value: encrypted } }
  }
  return {}
}
