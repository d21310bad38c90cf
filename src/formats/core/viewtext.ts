import type { View } from '../../model/view.ts'

/** Returns what an entry tells in place of others: the summary of a compaction, or of an abandoned path. */
export function summaryInPlace({
  effect,
}: View): { readonly kind: 'compaction' | 'summary'; readonly text: string } | undefined {
  if (effect?.kind === 'summary') return { kind: 'summary', text: effect.text }
  if (effect?.kind !== 'compaction' || effect.summary === undefined) return undefined
  return { kind: 'compaction', text: effect.summary }
}

/** Returns what an entry changes, in words: what it sets, compacts or edits. */
export function changesIn({ effect, sets, role }: View): string[] {
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
