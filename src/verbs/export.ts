import { exportSession, type Loss } from '../ops/export/export.ts'
import { EXPORTED, firstBytes, lossData, lossesSchema, optionsOf } from './exporting.ts'
import type { InputOf } from './input.ts'
import type { VerbContext } from './open.ts'
import { described, object, string } from './schema.ts'
import { sentAs, verb } from './verb.ts'

const input = { ...EXPORTED, bytes: firstBytes }

/** A session in its exported form. */
interface ExportedContent {
  readonly content: Buffer
  readonly losses: readonly Loss[]
}

export const exportVerb = verb({
  name: 'export',
  summary: 'return a session, byte for byte or in another format',
  effect: 'read',
  input,
  output: sentAs(
    object({ content: described('the bytes, as base64', string), losses: lossesSchema }),
    ({ content, losses }: ExportedContent) => ({
      content: content.toString('base64'),
      losses: lossData(losses),
    }),
  ),
  run: async (context, asked) => {
    const chunks: Uint8Array[] = []
    const losses: Loss[] = []
    for await (const chunk of exported(context, asked, (loss) => losses.push(loss))) chunks.push(chunk)
    return { content: Buffer.concat(chunks), losses }
  },
})

/** Yields the bytes of a session; with `reuse` each chunk is valid until the next one. Throws as `exportSession`. */
export async function* exported(
  context: VerbContext,
  { session: name, ...asked }: InputOf<typeof input>,
  onLoss: (loss: Loss) => void,
  { reuse = false }: { readonly reuse?: boolean } = {},
): AsyncGenerator<Uint8Array> {
  yield* exportSession(context.repo, name, { ...(await optionsOf(context, asked, onLoss)), reuse })
}
