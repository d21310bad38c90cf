import { viewOf } from '../../formats/registry.ts'
import { textOf } from '../../model/view.ts'
import type { Repo } from '../../repo/repo.ts'
import { MOST, type Name } from '../names.ts'

/** Gives the entries whose oids begin with four or more hex digits. */
export function entryNames(repo: Repo, prefix: string): Promise<Name[]> {
  return repo.read(async (backend) => {
    const names: Name[] = []
    for (const oid of await backend.findPrefix(prefix, MOST)) {
      const row = await backend.find(oid)
      if (row === undefined) continue
      const { type } = await backend.node(row)
      const text = textOf(viewOf(type, await backend.body(row)))
      names.push({ name: oid.slice(0, Math.max(12, prefix.length)), does: text ?? type })
    }
    return names
  })
}
