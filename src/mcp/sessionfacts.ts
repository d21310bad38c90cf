import { listing } from '../verbs/ls.ts'
import type { VerbContext } from '../verbs/open.ts'
import { nullable, string } from '../verbs/schema.ts'
import { lineOrNull, type Quoted } from './quoted.ts'

/** Says of a session which agent held it and where. */
export interface SessionFacts {
  readonly agent: string | null
  readonly title: Quoted | null
  readonly project: Quoted | null
}

/** The schemas of these properties. */
export const FACTS = { agent: nullable(string), title: nullable(string), project: nullable(string) }

const UNKNOWN: SessionFacts = { agent: null, title: null, project: null }

/** Returns a function that returns by id which agent held a session, its title or else its first prompt, and its folder. */
export async function factsOf(context: VerbContext): Promise<(id: string | null) => SessionFacts> {
  const all = await listing(context, { where: [], sort: 'updated', reverse: false }, [
    'id',
    'format',
    'title',
    'prompt',
    'cwd',
  ])
  const cells = <K extends 'id' | 'format' | 'title' | 'prompt' | 'cwd'>(field: K) =>
    all.map(field, (one) => one)
  const [agents, titles, prompts, folders] = [cells('format'), cells('title'), cells('prompt'), cells('cwd')]
  const places = new Map(cells('id').map((id, i) => [id, i]))
  return (id) => {
    const i = id === null ? undefined : places.get(id)
    if (i === undefined) return UNKNOWN
    return {
      agent: agents[i] ?? null,
      title: lineOrNull(titles[i] ?? prompts[i], 120),
      project: lineOrNull(folders[i]),
    }
  }
}
