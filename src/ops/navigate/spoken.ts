import { viewOf } from '../../formats/registry.ts'
import { path } from '../../graph/walk.ts'
import { promptIn } from '../../model/summary.ts'
import { roleOf, textOf, type View } from '../../model/view.ts'
import type { Backend, Row } from '../../repo/backend.ts'

/** What was said in the user's name: by the user, or by an extension of the agent. */
export interface Spoken {
  readonly by: 'user' | 'extension'
  readonly text: string
}

/** Gives what an entry says in the user's name; undefined for an entry of anybody else. */
export async function spokenAt(backend: Backend, row: Row): Promise<Spoken | undefined> {
  const view = await asUser(backend, row)
  return view && { by: await speakerOf(backend, row), text: textOf(view) ?? '' }
}

/** Gives the newest entry of a path in which the user asked something, its tip included, and what that says. */
export async function lastPrompt(
  backend: Backend,
  tip: Row,
): Promise<{ readonly row: Row; readonly text: string } | undefined> {
  for await (const row of path(tip, (at) => backend.node(at))) {
    const view = await asUser(backend, row)
    if (view && isPrompt(view) && (await speakerOf(backend, row)) === 'user')
      return { row, text: textOf(view) ?? '' }
  }
  return undefined
}

/** What agents put in the user's name is no prompt; an image without words is one. */
const isPrompt = (view: View): boolean =>
  promptIn(view) !== undefined || (textOf(view) === null && view.blocks.some(({ kind }) => kind === 'image'))

async function asUser(backend: Backend, row: Row): Promise<View | undefined> {
  const { traits, type } = await backend.node(row)
  return roleOf(traits) === 'user' ? viewOf(type, await backend.body(row)) : undefined
}

const speakerOf = async (backend: Backend, row: Row): Promise<Spoken['by']> =>
  (await backend.node(row)).type.endsWith('/custom_message') ? 'extension' : 'user'
