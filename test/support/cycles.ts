/** Imports by module: of each module of a set those that it imports, type imports included. */
export type Imports = ReadonlyMap<string, readonly string[]>

/** Returns the groups of modules that import each other, directly or not, each sorted (Tarjan, without recursion). */
export function importCycles(imports: Imports): string[][] {
  const low = new Map<string, number>()
  const stack: string[] = []
  const found: string[][] = []
  const open = new Set<string>()
  const enter = (path: string) => {
    const index = low.size
    low.set(path, index)
    stack.push(path)
    open.add(path)
    return { path, index, next: 0 }
  }
  for (const start of imports.keys()) {
    const work = low.has(start) ? [] : [enter(start)]
    for (let at = work.at(-1); at; at = work.at(-1)) {
      const target = imports.get(at.path)?.[at.next++]
      if (target === undefined) {
        work.pop()
        const up = work.at(-1)?.path
        const own = low.get(at.path) as number
        if (up !== undefined) low.set(up, Math.min(low.get(up) as number, own))
        if (own !== at.index) continue
        const members = stack.splice(stack.indexOf(at.path))
        for (const member of members) open.delete(member)
        if (members.length > 1) found.push(members.sort())
      } else if (!low.has(target)) work.push(enter(target))
      else if (open.has(target))
        low.set(at.path, Math.min(low.get(at.path) as number, low.get(target) as number))
    }
  }
  return found.sort(([a = ''], [b = '']) => (a < b ? -1 : 1))
}
