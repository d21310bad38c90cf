import type { Draft, DraftEntry, FormatWriter } from '../../formats/core/writer.ts'
import { SessError } from '../../model/errors.ts'
import { writtenByUser } from '../../model/prompt.ts'
import type { Block, View } from '../../model/view.ts'

/** The content that a form for people can leave out. */
export interface ReadableChoice {
  /** Leave out tool calls and their results. */
  readonly noTools?: boolean
  /** Leave out what agents add: system prompts, reminders, hooks. */
  readonly noSystem?: boolean
}

/** Returns a draft without the content that is left out. Throws `bad-usage` for a form that a program reads. */
export function readableDraft(
  draft: Draft,
  { isForPeople }: Pick<FormatWriter, 'isForPeople'>,
  { noTools = false, noSystem = false }: ReadableChoice,
): Draft {
  if (!noTools && !noSystem) return draft
  if (!isForPeople)
    throw new SessError('bad-usage', 'only a text for people leaves out tools or what agents add', {
      hint: 'choose the format markdown or html',
    })
  const viewOf = (view: View): View =>
    noSystem && isSetting(view)
      ? { role: null, blocks: [EMPTY] }
      : { ...view, blocks: view.blocks.map((block) => (isLeftOut(view, block) ? EMPTY : block)) }
  const isLeftOut = (view: View, block: Block): boolean =>
    (noTools && (block.kind === 'toolCall' || block.kind === 'toolResult')) ||
    (noSystem && isAdded(view, block))
  return {
    ...draft,
    async *entries() {
      for await (const entry of draft.entries()) yield { ...entry, view: viewOf(entry.view) }
    },
    read: async (at) => {
      const entry: Omit<DraftEntry, 'time' | 'native' | 'value'> = await draft.read(at)
      return { ...entry, view: viewOf(entry.view) }
    },
  }
}

/** Stands where something is left out: nothing is lost that was not meant to be. */
const EMPTY: Block = { kind: 'text', text: '' }

/** Returns whether an entry only changes settings. */
const isSetting = ({ role, blocks, effect }: View): boolean => role === null && blocks.length === 0 && !effect

/** Returns whether an agent added a block: as the system, or in the name of the user. */
const isAdded = ({ role, aside }: View, block: Block): boolean =>
  role === 'system' ||
  aside === true ||
  (role === 'user' && block.kind === 'text' && writtenByUser(block.text) === undefined)
