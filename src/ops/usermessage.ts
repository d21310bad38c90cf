import { viewOf } from '../formats/registry.ts'
import { path } from '../graph/walk.ts'
import type { EntryHandle } from '../model/node.ts'
import { promptIn } from '../model/summary.ts'
import { roleOf, textOf, type View } from '../model/view.ts'
import type { Reader } from '../repo/reader.ts'

/** What was said in the user's name: by the user, or by an extension of the agent. */
export interface UserMessage {
  readonly by: 'user' | 'extension'
  readonly text: string
}

/** Returns what an entry says in the user's name; undefined for an entry of anybody else. */
export async function userMessageAt(reader: Reader, handle: EntryHandle): Promise<UserMessage | undefined> {
  const view = await asUser(reader, handle)
  return view && { by: await speakerOf(reader, handle), text: textOf(view) ?? '' }
}

/** Returns the newest entry of a path in which the user asked something, its tip included, and what that says. */
export async function lastPrompt(
  reader: Reader,
  tip: EntryHandle,
): Promise<{ readonly handle: EntryHandle; readonly text: string } | undefined> {
  for await (const handle of path(tip, (at) => reader.node(at))) {
    const view = await asUser(reader, handle)
    if (view && isPrompt(view) && (await speakerOf(reader, handle)) === 'user')
      return { handle, text: textOf(view) ?? '' }
  }
  return undefined
}

/** What agents put in the user's name is no prompt; an image without words is one. */
const isPrompt = (view: View): boolean =>
  promptIn(view) !== undefined || (textOf(view) === null && view.blocks.some(({ kind }) => kind === 'image'))

async function asUser(reader: Reader, handle: EntryHandle): Promise<View | undefined> {
  const { traits, type } = await reader.node(handle)
  return roleOf(traits) === 'user' ? viewOf(type, await reader.body(handle)) : undefined
}

const speakerOf = async (reader: Reader, handle: EntryHandle): Promise<UserMessage['by']> =>
  (await reader.node(handle)).type.endsWith('/custom_message') ? 'extension' : 'user'
