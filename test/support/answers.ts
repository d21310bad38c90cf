import { asSessError } from '../../src/model/errors.ts'
import { exportSession } from '../../src/ops/export/export.ts'
import { listSessions } from '../../src/ops/list.ts'
import { log } from '../../src/ops/log.ts'
import { operations } from '../../src/ops/operations.ts'
import { search } from '../../src/ops/search/search.ts'
import { Repo } from '../../src/repo/repo.ts'

async function gathered<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

/** The questions that are put to a store, by name. */
const QUESTIONS: { readonly [name: string]: (repo: Repo, sessions: readonly string[]) => Promise<unknown> } =
  {
    ls: async (repo) => [...(await listSessions(repo)).rows()],
    log: async (repo, sessions) => Promise.all(sessions.map((id) => gathered(log(repo, id)))),
    export: async (repo, sessions) =>
      Promise.all(
        sessions.map(async (id) => Buffer.concat(await gathered(exportSession(repo, id))).toString('latin1')),
      ),
    operations: async (repo) => gathered(operations(repo)),
    search: async (repo) =>
      (await search(repo, 'says', { limit: 300 })).hits.map(({ oid }) => oid as string).sort(),
  }

/** The answers of a store, by name of the question: as text, or `!` and the code of the error. */
export type Answers = Readonly<Record<string, string>>

/** Asks a store all that is asked; sessions by their ids. */
export async function answersOf(dir: string, sessions: readonly string[]): Promise<Answers> {
  const answers: Record<string, string> = {}
  const answer = async (work: () => Promise<unknown>): Promise<string> => {
    try {
      return JSON.stringify(await work())
    } catch (error) {
      const { code, message } = asSessError(error)
      return code === 'bug' ? `a bug: ${message}` : `!${code}`
    }
  }
  let repo: Repo | undefined
  const opened = await answer(async () => {
    repo = await Repo.open(dir)
  })
  const open = repo
  for (const [name, ask] of Object.entries(QUESTIONS))
    answers[name] = open ? await answer(() => ask(open, sessions)) : opened
  await answer(async () => repo?.close())
  return answers
}

/** Returns which answers are neither right nor an error that says that the store is damaged. */
export const wrongOf = (got: Answers, right: Answers, errors: ReadonlySet<string>): string[] =>
  Object.keys(right).filter((name) => got[name] !== right[name] && !errors.has(got[name] ?? ''))
