import { viewOf } from '../../formats/registry.ts'
import { textOf } from '../../model/view.ts'
import type { Repo } from '../../repo/repo.ts'
import { MOST, type Name } from '../completion.ts'

/** Returns the entries whose oids begin with four or more hex digits. */
export function entryNames(repo: Repo, prefix: string): Promise<Name[]> {
  return repo.read(async (reader) => {
    const names: Name[] = []
    for (const oid of await reader.findByPrefix(prefix, MOST)) {
      const handle = await reader.find(oid)
      if (handle === undefined) continue
      const { type } = await reader.node(handle)
      const text = textOf(viewOf(type, await reader.body(handle)))
      names.push({ name: oid.slice(0, Math.max(12, prefix.length)), does: text ?? type })
    }
    return names
  })
}
