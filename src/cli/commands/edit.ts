import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { short } from '../../model/encoding/oid.ts'
import { SessError } from '../../model/errors.ts'
import { parsePlan } from '../../model/plan.ts'
import { summaryOf } from '../../text/entry.ts'
import { quoted } from '../../text/shellwords.ts'
import { counted, did, grouped, type Line } from '../../text/text.ts'
import { cut } from '../../text/width.ts'
import { edit } from '../../verbs/edit.ts'
import { editPlan } from '../../verbs/edit-plan.ts'
import type { VerbContext } from '../../verbs/open.ts'
import { anyOf, object, string } from '../../verbs/schema.ts'
import type { Edited, LogEntry } from '../../verbs/types.ts'
import { oidSchema } from '../../verbs/wire.ts'
import { type Answer, defineCommand, output } from '../define.ts'
import { editText } from '../editor.ts'
import { textOf } from '../entryinput.ts'
import type { Invocation } from '../invocation.ts'
import { file, flag, type InputOf, option } from '../parameters.ts'
import { answerOf } from '../present.ts'
import { branchMove, replayedLines } from '../render/moves.ts'

const { revision, session, branch, move } = edit.input

/** `sess edit`: drops, rewords, squashes or reorders entries on a new branch. */
export const command = defineCommand({
  effect: edit.effect,
  arguments: { revision },
  options: {
    session,
    printPlan: flag('print the plan that changes nothing, and exit'),
    plan: option(file(), 'apply the plan in a file; - is standard input'),
    branch,
    move,
  },
  help: `A plan has one line per entry: pick, drop, reword or squash, and the oid. Entries are written in the order of the
lines. The new text of a reword follows it, each line after a >. A tool call and its results stay together.
Without --plan, the editor in $VISUAL or $EDITOR opens the plan, or vi or nano.`,
  examples: [
    ['sess edit 3b1f~4 --print-plan > plan.txt', 'write a plan for the newest four entries'],
    ['sess edit 3b1f~4 --plan plan.txt --branch short', 'apply it after you changed it'],
    ["echo 'pick 98c5e71a' | sess edit 3b1f~4 --plan -", 'keep one of the four'],
  ],
  output: output(
    'One object; with --print-plan the plan.',
    anyOf(edit.output.schema, object({ session: string, tip: oidSchema, plan: string })),
  ),
  run: async (call, { plan: path, printPlan, ...input }) => {
    const context = await call.context()
    const typed = path === undefined ? undefined : await given(call, path)
    if (typed !== undefined) return applied(call, context, { ...input, plan: parsePlan(typed) })
    const { entries, ...of } = await editPlan.run(context, input)
    const fresh = planText(entries)
    if (printPlan) return { data: { ...of, plan: fresh }, render: async () => call.io.text(fresh.trimEnd()) }
    const plan = await editText(call, context.repo.dir, fresh)
    return applied(call, context, { ...input, plan: parsePlan(plan) })
  },
})

async function applied(
  call: Invocation,
  context: VerbContext,
  input: InputOf<typeof edit.input>,
): Promise<Answer<object>> {
  const done = await edit.run(context, input)
  const { change, session: id, branch: onto } = done
  if (change === 'unchanged') return answerOf(edit, done, { render: () => [['The plan changes nothing']] })
  return answerOf(edit, done, {
    render: () => doneLines(call, done, input.move),
    notes: onto === null || call.dryRun ? [] : [`go there with: sess switch ${quoted(`${id}/${onto}`)}`],
    back: 'sess undo',
  })
}

async function given({ platform }: Invocation, path: string): Promise<string> {
  if (path === '-') return textOf(platform.stdin)
  const absolute = resolve(platform.env.cwd, path)
  try {
    return await readFile(absolute, 'utf8')
  } catch (cause) {
    throw new SessError('unreadable-path', absolute, { hint: 'check the file; nothing was changed', cause })
  }
}

function doneLines(call: Invocation, done: Edited, isMove: boolean): Line[] {
  const { before, dropped, along, lifted, tokens, map } = done
  const place = isMove ? branchMove(done) : branchMove({ ...done, before: done.tip })
  const from = isMove || before === null ? '' : ` (from ${short(before)})`
  const listed = [
    [dropped, 'dropped'],
    [along, 'dropped too, with its tool call or result'],
    [lifted, 'moved directly after its tool call'],
  ] as const
  const saved = tokens.before - tokens.after
  const more = saved === 0 ? 'as many' : `${grouped(Math.abs(saved))} ${saved > 0 ? 'fewer' : 'more'}`
  return [
    [
      `${did(call, isMove ? 'Moved' : 'Created')} `,
      ...place,
      `${from}, ${counted(map.length, 'entry')} rewritten`,
    ],
    ...replayedLines(done),
    ...listed.flatMap(([oids, how]) => oids.map((one): Line => [`  ${short(one)} ${how}`])),
    [`tokens: ${grouped(tokens.before)} -> ${grouped(tokens.after)} (${more}, estimated)`],
  ]
}

/** The explanation below a plan in the editor. */
const LEGEND = `
# One step per line: a command and the oid of an entry. Entries are written in the order of the lines.
#   pick    keep the entry     reword  replace its text by the lines that follow, each after >
#   drop    remove the entry   squash  add its text to the entry in the line before
# An entry without a line is removed. A tool call and its results are removed or kept together.
# Without any step, nothing changes.
`

/** How much of an entry a plan shows, in columns. */
const SHOWN = 72

/** Returns a plan that changes nothing, for editing. */
const planText = (entries: readonly LogEntry[]): string =>
  entries
    .map(
      ({ oid, role, type, view }) =>
        `pick ${short(oid)}  # ${(role ?? '-').padEnd(9)}  ${cut(summaryOf(view, type), SHOWN)}\n`,
    )
    .join('') + LEGEND
