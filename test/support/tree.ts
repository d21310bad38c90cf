import type { AppendInput, Session } from '../../src/library/session.ts'
import type { Store } from '../../src/library/store.ts'
import type { Oid } from '../../src/model/encoding/oid.ts'
import type { Repo } from '../../src/repo/repo.ts'
import { openRepo } from './store.ts'
import { storeOver } from './storeover.ts'

/** A prompt of a user. */
export const asks = (content: string) => ({ body: { role: 'user', content } }) as const

/** An answer of an assistant. */
export const answers = (content: string) => ({ body: { role: 'assistant', content } }) as const

/** A session in which a user asked `q1`, `q2`, … and was answered `a1`, `a2`, …: `oids` by these names. */
export interface Talk {
  readonly repo: Repo
  readonly store: Store
  readonly session: Session
  readonly oids: Readonly<Record<string, Oid>>
}

/** Makes a session of so many questions and answers. */
export async function talk(turns = 3): Promise<Talk> {
  const repo = await openRepo()
  const store = storeOver(repo)
  const session = await store.createSession({ title: 'Talk' })
  const names = Array.from({ length: turns }, (_, i) => [`q${i + 1}`, `a${i + 1}`]).flat()
  const entries: AppendInput[] = names.map((name) => (name.startsWith('q') ? asks(name) : answers(name)))
  const oids = await session.appendAll(entries)
  return { repo, store, session, oids: Object.fromEntries(names.map((name, i) => [name, oids[i] as Oid])) }
}
