import type { Block, Usage } from '../../model/view.ts'
import type { ExportStep } from './exportsteps.ts'
import type { Loss } from './losses.ts'
import type { DraftEntry, Index } from './writer.ts'

/** What the model says in a row, with the results of its calls behind it. */
export interface AnswerTurn {
  readonly kind: 'answer'
  /** The first entry that says it. */
  readonly entry: DraftEntry
  /** The place of the last. */
  readonly at: Index
  readonly said: readonly Block[]
  /** Each result with the images behind it. */
  readonly results: readonly (readonly Block[])[]
  /** What the call took; undefined where an answer before has told it. */
  readonly usage?: Usage
}

/** A step of a path in a format where results stand in the message that called. */
export type ExportTurn = Exclude<ExportStep, { readonly kind: 'said' }> | WordsTurn | AnswerTurn

/** What user or system say. */
type WordsTurn = Extract<ExportStep, { readonly kind: 'said' }> & { readonly role: 'user' | 'system' }

/**
 * Joins what the model says until its calls are answered, and the blocks of one model call, with the results. A result
 * that no answer waits for is a loss: what called it is written as it is.
 */
export async function* withAnswers(
  steps: AsyncIterable<ExportStep | Loss>,
): AsyncGenerator<ExportTurn | Loss> {
  let open: AnswerTurn | undefined
  let told: string | undefined
  for await (const step of steps) {
    if ('code' in step) yield step
    else if (step.kind === 'said' && step.role === 'assistant') {
      if (open && continues(open, step.entry)) open = joined(open, step)
      else {
        if (open) yield open
        const { usage } = step.entry.view
        const isNew = usage && (usage.call === undefined || usage.call !== told)
        if (isNew) told = usage.call
        const { entry, at, blocks: said } = step
        open = { kind: 'answer', entry, at, said, results: [], ...(isNew && { usage }) }
      }
    } else if (step.kind === 'said' && step.role === 'tool') {
      const answered = open && answeredBy(open, step)
      if (answered) open = answered
      else yield* step.blocks.flatMap((block) => orphan(step.entry, block))
    } else {
      if (open) yield open
      open = undefined
      yield step as Exclude<ExportTurn, AnswerTurn>
    }
  }
  if (open) yield open
}

const idsIn = (blocks: readonly Block[], kind: 'toolCall' | 'toolResult'): string[] =>
  blocks.flatMap((block) => (block.kind === kind ? [block.id] : []))

const isWaiting = ({ said, results }: AnswerTurn): boolean =>
  idsIn(said, 'toolCall').length > idsIn(results.flat(), 'toolResult').length

/** Blocks of one model call stand in a row, before the results. */
function continues(open: AnswerTurn, { view }: DraftEntry): boolean {
  const call = open.entry.view.usage?.call
  return isWaiting(open) || (open.results.length === 0 && call !== undefined && call === view.usage?.call)
}

const joined = (open: AnswerTurn, step: Extract<ExportStep, { readonly kind: 'said' }>): AnswerTurn => ({
  ...open,
  at: Math.max(open.at, step.at),
  said: [...open.said, ...step.blocks],
})

/** Returns an answer with some more results; undefined where it did not call them. */
function answeredBy(
  open: AnswerTurn,
  { at, blocks }: Extract<ExportStep, { readonly kind: 'said' }>,
): AnswerTurn | undefined {
  const calls = idsIn(open.said, 'toolCall')
  if (!idsIn(blocks, 'toolResult').every((id) => calls.includes(id))) return undefined
  return { ...open, at: Math.max(open.at, at), results: [...open.results, ...resultsIn(blocks)] }
}

const orphan = ({ oid }: DraftEntry, block: Block): Loss[] =>
  block.kind === 'toolResult' ? [{ code: 'orphan-result', oid, subject: block.id }] : []

/** Returns results one by one, each with the images behind it. */
export function resultsIn(blocks: readonly Block[]): Block[][] {
  const results: Block[][] = []
  for (const block of blocks) {
    if (block.kind === 'toolResult') results.push([block])
    else results.at(-1)?.push(block)
  }
  return results
}
