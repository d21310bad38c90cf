import type { RefValue } from '../../model/operation.ts'
import {
  expungedBodyRef,
  expungedSecretRef,
  type RefName,
  TOMBSTONES,
  tombstoneOf,
} from '../../model/refname.ts'
import { checkedValue } from '../../model/refs/table.ts'
import { NO_TOMBSTONES, type Reason, type Tombstones, type Watched } from '../../model/secrets/expunged.ts'
import type { Backend } from '../../storage/backend.ts'

/** Returns the tombstones of a store. They are not subject to `--at-op`. Throws `corrupt` where one cannot be read. */
export async function tombstonesOf(reader: Pick<Backend, 'refs'>): Promise<Tombstones> {
  const bodies: { [digest: string]: Reason } = {}
  const secrets: { [mark: string]: Watched } = {}
  let isEmpty = true
  for await (const [name, value] of reader.refs(TOMBSTONES)) {
    const of = tombstoneOf(name)
    if (of === undefined) continue
    isEmpty = false
    if ('digest' in of) bodies[of.digest] = checkedValue(name as RefName<Reason>, value)
    else secrets[of.mark] = checkedValue(name as RefName<Watched>, value)
  }
  return isEmpty ? NO_TOMBSTONES : { bodies, secrets }
}

/** Returns the refs that hold tombstones. */
export const tombstoneRefs = ({ bodies, secrets }: Tombstones): ReadonlyMap<RefName, RefValue> =>
  new Map([
    ...Object.entries(bodies).map(([digest, reason]) => [expungedBodyRef(digest), reason] as const),
    ...Object.entries(secrets).map(([mark, secret]) => [expungedSecretRef(mark), secret] as const),
  ])
