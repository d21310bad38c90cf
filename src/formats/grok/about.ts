import { asString, field, items, type Json } from '../../model/json.ts'
import { gitFacts } from '../core/facthistory.ts'
import type { Agent, Facts } from '../core/format.ts'
import { factsAt, factsOf, idNamed } from '../core/values.ts'

/** The program. */
export const GROK: Agent = { title: 'Grok', name: 'grok', resume: ({ id }) => ['grok', '--resume', id] }

/** Returns the facts in the document beside a session. */
export function grokFacts(value: Json): Facts {
  const isSubagent = asString(field(value, 'session_kind'))?.startsWith('subagent') === true
  return factsOf({
    title: asString(field(value, 'generated_title')) ?? asString(field(value, 'session_summary')),
    ...factsAt(value, { cwd: ['info', 'cwd'], created: 'created_at' }),
    model: asString(field(value, 'current_model_id')),
    ...gitFacts({
      branch: field(value, 'head_branch'),
      commit: field(value, 'head_commit'),
      repository: items(field(value, 'git_remotes'))[0],
    }),
    parent: isSubagent ? asString(field(value, 'parent_session_id')) : undefined,
  })
}

/** Returns the facts in the names of a session's folder and of the folder above, which is the project's path in escapes. */
export const knownGrokFacts = (folder = '', [project = '']: readonly string[] = []): Facts => ({
  ...idNamed(folder),
  ...factsOf({ cwd: pathIn(project) }),
})

/** Returns the absolute path that a name has in escapes; undefined of any other name. */
function pathIn(name: string): string | undefined {
  if (!/^(?:%2F|[A-Za-z]%3A)/i.test(name)) return undefined
  try {
    return decodeURIComponent(name)
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}
