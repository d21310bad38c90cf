import { isOid, type Oid } from '../model/encoding/oid.ts'
import { type EntryDraft, hashDraft } from '../ops/hashobject.ts'
import { revParse } from '../ops/revparse.ts'
import { draft } from './entry.ts'
import { atLeastOne } from './input.ts'
import type { Store } from './open.ts'
import { object } from './schema.ts'
import { listOf, output, verb } from './verb.ts'
import { oidSchema } from './wire.ts'

/** An entry that was hashed. */
export const hashedOutput = output(object({ oid: oidSchema }))

export const hashObject = verb({
  name: 'hash-object',
  summary: 'compute the oids of entries',
  effect: 'read',
  input: { entry: atLeastOne(draft, 'the entries') },
  output: listOf(hashedOutput),
  run: ({ repo }, { entry: drafts }) => hashed(drafts, () => Promise.resolve(repo)),
})

/** Computes the oids of entries. The store is opened only for parents and links that are not full oids. */
export async function hashed(
  drafts: readonly EntryDraft[],
  store: () => Promise<Store>,
): Promise<{ readonly oid: Oid }[]> {
  const made: { readonly oid: Oid }[] = []
  const find = async (name: string): Promise<Oid> => (isOid(name) ? name : revParse(await store(), name))
  for (const one of drafts) made.push({ oid: await hashDraft(one, find) })
  return made
}
