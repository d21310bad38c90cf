import { type Oid, short } from '../../model/encoding/oid.ts'
import { isObject } from '../../model/json.ts'
import { moveLines, operationText } from '../../text/operation.ts'
import { counted, type Display, firstLine, type Line } from '../../text/text.ts'
import { branch } from '../../verbs/branch.ts'
import { cherryPick } from '../../verbs/cherry-pick.ts'
import { exportAgent } from '../../verbs/export-agent.ts'
import { exportFile } from '../../verbs/export-file.ts'
import { fork } from '../../verbs/fork.ts'
import { label } from '../../verbs/label.ts'
import { labelDelete } from '../../verbs/label-delete.ts'
import { merge } from '../../verbs/merge.ts'
import { navigate } from '../../verbs/navigate.ts'
import type { VerbContext } from '../../verbs/open.ts'
import { pop } from '../../verbs/pop.ts'
import { redo } from '../../verbs/redo.ts'
import { switchHead } from '../../verbs/switch.ts'
import type { TreeMove, Turned } from '../../verbs/types.ts'
import { undo } from '../../verbs/undo.ts'
import { perform, type Verb } from '../../verbs/verb.ts'
import type { PlannedChange } from '../state/state.ts'

/** The outcome of a change, or the one that it would have. */
export interface Performed {
  readonly lines: readonly Line[]
  /** A prompt that was taken back, to be sent again. */
  readonly prompt: string | null
}

/** The verbs that the browser runs, and how their results are described. */
const VERBS: Readonly<Record<string, { readonly verb: Verb; readonly describe: Describe }>> = {
  fork: runs(fork, ({ session, tip }) => [
    [`session ${session}${tip === null ? ', empty' : ` at ${short(tip)}`}`],
  ]),
  branch: runs(branch, ({ name, oid }) => [[`branch ${firstLine(name)} at ${short(oid)}`]]),
  label: runs(label, ({ name, oid, before }) => [
    [`label ${firstLine(name)} at ${short(oid)}${before === null ? '' : `, before at ${short(before)}`}`],
  ]),
  'label-delete': runs(labelDelete, ({ name }) => [[`label ${firstLine(name)} removed`]]),
  switch: runs(switchHead, ({ tip, beforeTip }) => [[moveText(tip, beforeTip)]]),
  navigate: runs(navigate, movedLines),
  pop: runs(pop, movedLines),
  merge: runs(merge, ({ change, entries, tip, before }) => [
    [`${change}: ${counted(entries, 'entry')} of the other path`],
    [moveText(tip, before)],
  ]),
  'cherry-pick': runs(cherryPick, ({ map, along, skipped, tip, before }) => [
    [`${counted(map.length, 'entry')} appended${along.length > 0 ? `, ${along.length} came along` : ''}`],
    ...(skipped.length > 0 ? [[`${counted(skipped.length, 'entry')} there already`]] : []),
    [moveText(tip, before)],
  ]),
  'export-agent': runs(exportAgent, ({ path, losses }) => [[firstLine(path)], [lossText(losses)]]),
  'export-file': runs(exportFile, ({ losses }) => [[lossText(losses)]]),
  undo: runs(undo, turnedLines),
  redo: runs(redo, turnedLines),
}

type Describe = (result: never, display: Display) => Line[]

function runs<T>(
  verb: { readonly run: (context: never, input: never) => Promise<T> },
  describe: (result: T, display: Display) => Line[],
): { readonly verb: Verb; readonly describe: Describe } {
  return { verb: verb as unknown as Verb, describe: describe }
}

const lossText = (losses: readonly unknown[]): string =>
  losses.length === 0
    ? 'nothing is lost'
    : `what this format cannot hold is left out in ${counted(losses.length, 'place')}`

const moveText = (tip: Oid | string | null, before: Oid | string | null): string =>
  `${nameOf(before)} -> ${nameOf(tip)}`

const nameOf = (oid: Oid | string | null): string => (oid === null ? 'no entry' : short(oid as Oid))

function movedLines({ tip, beforeTip, abandoned, kept }: TreeMove): Line[] {
  return [
    [moveText(tip, beforeTip)],
    ...(abandoned > 0
      ? [[`${counted(abandoned, 'entry')} left${kept === null ? '' : ` on the branch ${firstLine(kept)}`}`]]
      : []),
  ]
}

function turnedLines({ operation, moves, left }: Turned, display: Display): Line[] {
  return [
    operationText(operation, display),
    ...moveLines(moves, `${operation.number}`),
    ...(left.length > 0 ? [['entries were appended since: their records stay, without effect']] : []),
  ]
}

/** Runs a change, or with `dryRun` only asks what it would do. Throws as the verb, and `conflict` where a tip moved. */
export async function performChange(
  call: VerbContext,
  { verb: name, input, expected }: PlannedChange,
  display: Display,
  dryRun: boolean,
): Promise<Performed> {
  const known = VERBS[name]
  if (!known) throw new Error(`the browser does not run '${name}'`)
  const { result } = await perform(known.verb, call, input as never, {
    dryRun,
    ...(expected && { expected }),
  })
  const prompt = isObject(result as never) ? (result as { readonly text?: unknown }).text : undefined
  return {
    lines: known.describe(result as never, display),
    prompt: typeof prompt === 'string' ? prompt : null,
  }
}
