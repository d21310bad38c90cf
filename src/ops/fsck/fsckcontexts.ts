import type { Repo } from '../../repo/repo.ts'
import { allSessions } from '../../repo/session.ts'
import { contextOf } from '../context/context.ts'
import { attempt, type Report } from './finding.ts'

/**
 * Looks for branches whose path no API of a model would take as it is: calls without results, results without calls. What
 * `context` gives of them is mended. Throws `stopped` where the store's signal asks to stop.
 */
export async function checkContexts(repo: Repo, report: Report): Promise<void> {
  const branches: string[] = []
  await repo.read(async (reader) => {
    for await (const session of allSessions(reader))
      for (const name of session.branches.keys()) branches.push(`${session.id}/${name}`)
  })
  for (const branch of branches) {
    await repo.yieldToEvents()
    const check = async (): Promise<void> => {
      const { repairs } = await contextOf(repo, branch)
      const counts = new Map<string, number>()
      for (const { kind } of repairs) counts.set(kind, (counts.get(kind) ?? 0) + 1)
      const told = [...counts].map(([kind, count]) => `${kind} ${count}`).join(', ')
      if (repairs.length > 0)
        report('context', branch, `no API takes it as it is: ${told}`, { refs: [branch] })
    }
    await attempt(report, 'context', branch, check, () => ({ refs: [branch] }))
  }
}
