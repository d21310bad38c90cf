import type { View } from '../../model/view.ts'

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
