import type { Block, Usage } from '../../model/view.ts'
import { type ExportRules, type ExportStep, exportSteps, type SpeakerSegment } from './exportsteps.ts'
import type { Loss } from './losses.ts'
import type { Draft, DraftEntry, Index } from './writer.ts'

/** Consecutive blocks of the model, with the results of their calls. */
export interface AnswerTurn {
  readonly kind: 'answer'
  /** The first of its entries. */
  readonly entry: DraftEntry
  /** The place of the last. */
  readonly at: Index
  readonly blocks: readonly Block[]
  /** Each result with the images after it. */
  readonly results: readonly (readonly Block[])[]
  /** The usage of the model call; undefined if an earlier answer has it. */
  readonly usage?: Usage
}

/** A step of a path, for formats where the message with a call has its result. */
export type ExportTurn = Exclude<ExportStep, { readonly kind: 'segment' }> | WordsTurn | AnswerTurn

/** Blocks of the user or of the system. */
type WordsTurn = Extract<ExportStep, { readonly kind: 'segment' }> & { readonly role: 'user' | 'system' }

/**
 * Returns the steps of a path as turns: joins the blocks of the model until its calls are answered, and the blocks of one model call, with the results. A
 * result whose call is not in the open answer is a loss.
 */
export async function* exportTurns(
  draft: Draft,
  rules: Omit<ExportRules, 'adjacent'>,
): AsyncGenerator<ExportTurn | Loss> {
  let open: AnswerTurn | undefined
  /** The model call whose usage is already in a turn. */
  let countedCall: string | undefined
  for await (const step of exportSteps(draft, { ...rules, adjacent: true })) {
    if ('code' in step) yield step
    else if (step.kind === 'segment' && step.role === 'assistant') {
      if (open && continues(open, step.entry)) open = joined(open, step)
      else {
        if (open) yield open
        const { usage } = step.entry.view
        const isNew = usage && (usage.call === undefined || usage.call !== countedCall)
        if (isNew) countedCall = usage.call
        const { entry, at, blocks } = step
        open = { kind: 'answer', entry, at, blocks, results: [], ...(isNew && { usage }) }
      }
    } else if (step.kind === 'segment' && step.role === 'tool') {
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

/** Returns the segments of an answer: the blocks of the model, then the results. */
export const answerSegments = ({ blocks, results }: AnswerTurn): readonly SpeakerSegment[] => [
  { role: 'assistant', blocks },
  { role: 'tool', blocks: results.flat() },
]

const idsIn = (blocks: readonly Block[], kind: 'toolCall' | 'toolResult'): string[] =>
  blocks.flatMap((block) => (block.kind === kind ? [block.id] : []))

const isWaiting = ({ blocks, results }: AnswerTurn): boolean =>
  idsIn(blocks, 'toolCall').length > idsIn(results.flat(), 'toolResult').length

/** The blocks of one model call are consecutive and come before the results. */
function continues(open: AnswerTurn, { view }: DraftEntry): boolean {
  const call = open.entry.view.usage?.call
  return isWaiting(open) || (open.results.length === 0 && call !== undefined && call === view.usage?.call)
}

const joined = (open: AnswerTurn, step: Extract<ExportStep, { readonly kind: 'segment' }>): AnswerTurn => ({
  ...open,
  at: Math.max(open.at, step.at),
  blocks: [...open.blocks, ...step.blocks],
})

/** Returns an answer with some more results; undefined if it does not have their calls. */
function answeredBy(
  open: AnswerTurn,
  { at, blocks }: Extract<ExportStep, { readonly kind: 'segment' }>,
): AnswerTurn | undefined {
  const calls = idsIn(open.blocks, 'toolCall')
  if (!idsIn(blocks, 'toolResult').every((id) => calls.includes(id))) return undefined
  return { ...open, at: Math.max(open.at, at), results: [...open.results, ...resultsIn(blocks)] }
}

const orphan = ({ oid }: DraftEntry, block: Block): Loss[] =>
  block.kind === 'toolResult' ? [{ code: 'orphan-result', oid, subject: block.id }] : []

/** Splits blocks into results, each with the images after it. */
export function resultsIn(blocks: readonly Block[]): Block[][] {
  const results: Block[][] = []
  for (const block of blocks) {
    if (block.kind === 'toolResult') results.push([block])
    else results.at(-1)?.push(block)
  }
  return results
}
