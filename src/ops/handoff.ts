import { flat, inlineCode } from '../model/markdown.ts'
import type { Oid } from '../model/oid.ts'
import { Passages } from '../model/passages.ts'
import type { Repo } from '../repo/repo.ts'
import { type ResolvedRevision, resolve } from '../repo/revision.ts'
import { visiblePath } from './compactionplan.ts'
import { type PathEntries, pathEntries, type SummaryOptions, summarize } from './summarize.ts'

/** What a new session is told so that it goes on with the work of another. */
export interface Handoff {
  readonly goal: string
  readonly session: string | null
  readonly tip: Oid
  /** Markdown: the goal, where it comes from, what bears on the goal, and the session so far. */
  readonly text: string
}

/**
 * Gives what a new session is to know of what the model sees at a revision, for a goal: by a structural digest, or by a
 * summary of the caller's, who is told the goal. Changes nothing. What was said stands in quotations and lists: it
 * cannot pass for a part of the document. Throws as `resolve` and `summarize`.
 */
export async function handoff(
  repo: Repo,
  goal: string,
  revision: string,
  options: SummaryOptions = {},
): Promise<Handoff> {
  const { at, seen } = await repo.read(async (reader) => {
    const found = await resolve(reader, revision, repo.env.cwd)
    return { at: found, seen: await visiblePath(reader, found.handle) }
  })
  const { previous, rest } = seen
  const stretch = pathEntries(repo, rest)
  const session = at.session?.id ?? null
  const preparation = { reason: 'handoff', session, stretch, ...(previous && { previous }) } as const
  const { summary } = await summarize(preparation, { ...options, instructions: goal })
  const passages = await passagesOn(goal, stretch)
  const parts = [
    ['Goal', flat(goal)],
    ['Where this comes from', originOf(at)],
    ...(passages === '' ? [] : [['What was said that bears on the goal', passages]]),
    ['The session so far', summary],
  ]
  const text = parts.map(([title, says]) => `# ${title}\n${says}\n`).join('\n')
  return { goal, session, tip: at.oid, text }
}

async function passagesOn(goal: string, stretch: PathEntries): Promise<string> {
  const passages = new Passages(goal)
  for await (const { view } of stretch.entries()) passages.add(view)
  return passages.text()
}

/** Gives in a list which session and entry this comes from, and in which folder that worked. */
function originOf({ oid, session, branch }: ResolvedRevision): string {
  const { title, cwd, format } = session?.meta ?? {}
  const lines = [
    ...(session ? [`Session ${inlineCode(flat(session.id))}${title ? `: ${flat(title)}` : ''}`] : []),
    ...(format && format !== 'sess' ? [`Agent ${inlineCode(flat(format))}`] : []),
    ...(cwd ? [`Folder ${inlineCode(flat(cwd))}`] : []),
    `Entry ${inlineCode(oid)}${branch === undefined ? '' : ` on branch ${inlineCode(flat(branch))}`}`,
  ]
  return lines.map((line) => `- ${line}`).join('\n')
}
