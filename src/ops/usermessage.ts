import { path } from '../graph/walk.ts'
import type { EntryHandle } from '../model/node.ts'
import { promptIn } from '../model/prompt.ts'
import { roleOf, textOf, type View } from '../model/view.ts'
import { lookIn, type Reader } from '../repo/reader.ts'
import { viewAt } from './entries.ts'

/** A message in the user's name: of the user, or of an extension of the agent. */
export interface UserRoleMessage {
  readonly by: 'user' | 'extension'
  readonly text: string
}

/** Returns the message of an entry in the user's role; undefined for any other entry. */
export async function userMessageAt(
  reader: Reader,
  handle: EntryHandle,
): Promise<UserRoleMessage | undefined> {
  const view = await asUser(reader, handle)
  return view && { by: await speakerOf(reader, handle), text: textOf(view) ?? '' }
}

/** Returns the newest prompt of the user on the path to a tip, the tip included. */
export async function lastPrompt(
  reader: Reader,
  tip: EntryHandle,
): Promise<{ readonly handle: EntryHandle; readonly text: string } | undefined> {
  for await (const handle of path(tip, lookIn(reader))) {
    const view = await asUser(reader, handle)
    if (view && isPrompt(view) && (await speakerOf(reader, handle)) === 'user')
      return { handle, text: textOf(view) ?? '' }
  }
  return undefined
}

/** Returns whether a view is a prompt. Text that agents add in the user's name is none; an image without text is one. */
const isPrompt = (view: View): boolean =>
  promptIn(view) !== undefined || (textOf(view) === null && view.blocks.some(({ kind }) => kind === 'image'))

async function asUser(reader: Reader, handle: EntryHandle): Promise<View | undefined> {
  const { traits } = await reader.node(handle)
  return roleOf(traits) === 'user' ? viewAt(reader, handle) : undefined
}

const speakerOf = async (reader: Reader, handle: EntryHandle): Promise<UserRoleMessage['by']> =>
  (await reader.node(handle)).type.endsWith('/custom_message') ? 'extension' : 'user'
