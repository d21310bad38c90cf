import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { append, createSession } from '../../src/ops/append/append.ts'
import { createBranch } from '../../src/ops/branch.ts'
import { importPaths } from '../../src/ops/import/import.ts'
import { setLabel } from '../../src/ops/label.ts'
import { Repo } from '../../src/repo/repo.ts'
import { newFolder } from './folder.ts'
import { quietEnv } from './store.ts'
import { answered, asked, claudeLines } from './transcripts.ts'

/** A small store that is closed: some of it lies in a table of its database, some in its log. */
export interface SmallStore {
  readonly dir: string
  readonly sessions: readonly string[]
}

/** Makes a store with sessions that were appended to, one that was imported, branches and a label. */
export async function smallStore(): Promise<SmallStore> {
  const dir = join(newFolder(), 'store')
  const env = quietEnv()
  const says = (name: number, from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => ({
      body: {
        role: i % 2 === 0 ? 'user' : 'assistant',
        content: `${name} says ${from + i}: ${Math.sqrt(7 * name + i)}`,
      },
    }))
  const sessions: string[] = []
  const during = async (work: (repo: Repo) => Promise<void>): Promise<void> => {
    const repo = await Repo.open(dir, { create: true, env })
    await work(repo)
    await repo.close()
  }
  await during(async (repo) => {
    for (let n = 0; n < 8; n++) {
      const id = await createSession(repo, { title: `session ${n}` })
      sessions.push(id)
      await append(repo, id, says(n, 0, n % 4 === 0 ? 20 : 2))
    }
    const file = join(newFolder(), 'imported.jsonl')
    const exchange = (n: number) => [
      asked(`q${n}`, n === 0 ? null : `a${n - 1}`, `says ${n}`),
      answered(`a${n}`, `q${n}`),
    ]
    writeFileSync(file, claudeLines('imported', ...[0, 1, 2, 3, 4].flatMap(exchange)).join(''))
    const { files } = await importPaths(repo, [file])
    sessions.push(files[0]?.session ?? '')
  })
  await during(async (repo) => {
    for (const id of sessions.slice(0, 4)) await append(repo, id, says(9, 0, 3))
    await createBranch(repo, sessions[0] as string, 'other')
    await setLabel(repo, 'here', sessions[1])
  })
  return { dir, sessions }
}

/** Returns a copy of a store in a new folder. */
export function copyOf(dir: string): string {
  const copy = join(newFolder(), 'copy')
  cpSync(dir, copy, { recursive: true, filter: (path) => !path.endsWith('.sock') })
  return copy
}
