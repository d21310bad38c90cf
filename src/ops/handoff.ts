import type { Oid } from '../model/encoding/oid.ts'
import { flat, inlineCode } from '../model/markdown.ts'
import { Passages } from '../model/passages.ts'
import type { Repo } from '../repo/repo.ts'
import { type ResolvedRevision, resolve } from '../repo/revision.ts'
import { visiblePath } from './compactionplan.ts'
import { type PathEntries, pathEntries, type SummaryOptions, summarize } from './summarize.ts'

/** The text with which a new session continues the work of another. */
export interface Handoff {
  readonly goal: string
  readonly session: string | null
  readonly tip: Oid
  /** Markdown: the goal, its origin, the passages that concern the goal, and a summary of the session so far. */
  readonly text: string
}

/**
 * Returns the text with which a new session continues the context of a revision, for a goal: with a structural digest, or
 * with a summary by the caller's summarizer, whose instructions are the goal. Changes nothing. Text of the session is
 * quoted or listed, so that it cannot pass for a part of the document. Throws as `resolve` and `summarize`.
 */
export async function handoff(
  repo: Repo,
  goal: string,
  revision: string,
  options: SummaryOptions = {},
): Promise<Handoff> {
  const { at, seen } = await repo.read(async (reader) => {
    const found = await resolve(reader, revision)
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
  const text = parts.map(([title, content]) => `# ${title}\n${content}\n`).join('\n')
  return { goal, session, tip: at.oid, text }
}

async function passagesOn(goal: string, stretch: PathEntries): Promise<string> {
  const passages = new Passages(goal)
  for await (const { view } of stretch.entries()) passages.add(view)
  return passages.text()
}

/** Returns a list of the session, its agent and folder, and the entry. */
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
