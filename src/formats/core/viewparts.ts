import { asString, type Json } from '../../model/json.ts'
import { type Block, OPAQUE, ROLES, type Role, type View } from '../../model/view.ts'

const TAGGED = /^\s*<([a-z_]+)>\n?([^]*?)\n?<\/\1>\s*$/

/** Returns a text without the tag that an agent puts around it, if the tag is one of those named. */
export function untagged(text: string, ...tags: readonly string[]): string {
  const [, tag = '', words = text] = TAGGED.exec(text) ?? []
  return tags.includes(tag) ? words : text
}

/** Returns a role by its name; null if there is none of this name. */
export const roleNamed = (name: Json | undefined): Role | null => ROLES.find((role) => role === name) ?? null

/**
 * Returns the speaker of a message, from its role and its blocks: an API without a role for tools sends their results
 * in the user's name. Null if the role is unknown.
 */
export function speakerOf(named: Json | undefined, blocks: readonly Block[]): Role | null {
  const role = roleNamed(named)
  const results = blocks.some((block) => block.kind === 'toolResult')
  const only = blocks.every((block) => block.kind === 'toolResult' || block.kind === 'image')
  return role === 'user' && results && only ? 'tool' : role
}

/** Returns the texts among blocks joined by newlines. */
export const textIn = (blocks: readonly Block[]): string =>
  blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : [])).join('\n')

/** Returns the setting of a model, as part of a view; nothing if no model is named. */
export function modelIn(id: Json | undefined, provider?: Json): Pick<View, 'sets'> {
  const [model, by] = [asString(id), asString(provider)]
  return model === undefined
    ? {}
    : { sets: { model: { ...(by !== undefined && { provider: by }), id: model } } }
}

/** Returns the view of a compaction, from its summary. */
export const compactionView = (summary: Json | undefined): View => ({
  ...OPAQUE,
  effect: { kind: 'compaction', summary: asString(summary) ?? '' },
})

/** Returns the summary of a compaction or of an abandoned path. */
export function summaryOf({
  effect,
}: View): { readonly kind: 'compaction' | 'summary'; readonly text: string } | undefined {
  if (effect?.kind === 'summary') return { kind: 'summary', text: effect.text }
  if (effect?.kind !== 'compaction' || effect.summary === undefined) return undefined
  return { kind: 'compaction', text: effect.summary }
}

/** Returns short descriptions of the changes of an entry: its settings, its compaction or edit. */
export function changesOf({ effect, sets, role }: View): string[] {
  const { model, thinking, mode } = role === null ? (sets ?? {}) : {}
  return [
    ...(model ? [`model: ${model.id}`] : []),
    ...(thinking === undefined ? [] : [`thinking: ${thinking}`]),
    ...(mode === undefined ? [] : [`mode: ${mode}`]),
    ...(effect?.kind === 'compaction' ? ['compaction'] : []),
    ...(effect?.kind === 'summary' ? ['summary of an abandoned branch'] : []),
    ...(effect?.kind === 'edit' ? [effect.replacement ? 'edit: says this instead' : 'edit: hidden'] : []),
    ...(effect?.kind === 'rollback' ? [`the last ${effect.turns} turns are taken back`] : []),
  ]
}
