import { readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Oid, short } from '../../model/encoding/oid.ts'
import { SessError } from '../../model/errors.ts'
import { parsePlan } from '../../model/plan.ts'
import { writeError } from '../../model/writeerror.ts'
import { type Edited, edit, editable } from '../../ops/edit.ts'
import type { LogEntry } from '../../ops/entries.ts'
import type { Repo } from '../../repo/repo.ts'
import { summaryOf } from '../../text/entry.ts'
import { counted, did, grouped, type Line } from '../../text/text.ts'
import { cut } from '../../text/width.ts'
import { anyOf, arrayOf, described, integer, object, oneOf, string } from '../../verbs/schema.ts'
import { oidSchema, REPLAYED } from '../../verbs/wire.ts'
import { defineCommand, output } from '../define.ts'
import { textOf } from '../entryinput.ts'
import type { Invocation } from '../invocation.ts'
import { current, file, flag, option, revision, session, text } from '../parameters.ts'
import { branchMove, replayedLines } from '../render/moves.ts'
import { quoted, splitWords } from '../shellwords.ts'

/** `sess edit`: drops, rewords, squashes or reorders entries on a new branch. */
export const command = defineCommand({
  effect: 'write',
  arguments: {
    revision: current(revision(), 'a session or branch; an entry, for what follows it; a range A..B'),
  },
  options: {
    session: option(session(), 'the session of bare branch names (@)'),
    printPlan: flag('print the plan that changes nothing, and exit'),
    plan: option(file(), 'apply the plan in a file; - is standard input'),
    branch: option(text('name'), 'the name of the new branch (edit-DIGITS)', { excludes: ['move'] }),
    move: flag('move the branch instead of creating one'),
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
    anyOf(
      object({
        ...REPLAYED,
        change: oneOf('edited', 'unchanged'),
        dropped: arrayOf(oidSchema),
        along: described('tool calls and results that were dropped with them', arrayOf(oidSchema)),
        lifted: described('results that were moved directly after their calls', arrayOf(oidSchema)),
        tokens: described('of the context, estimated', object({ before: integer, after: integer })),
      }),
      object({ session: string, tip: oidSchema, plan: string }),
    ),
  ),
  run: async (call, { revision: name, plan, printPlan, ...options }) => {
    const repo = await call.repo()
    const planned = plan === undefined ? await fresh(repo, name, options.session) : await given(call, plan)
    if (typeof planned !== 'string' && printPlan)
      return { data: planned, render: async () => call.io.text(planned.plan.trimEnd()) }
    const steps = parsePlan(typeof planned === 'string' ? planned : await edited(call, repo, planned.plan))
    const done = await edit(repo, name, steps, options)
    const { change, session: id, branch: onto } = done
    if (change === 'unchanged') return { data: done, render: () => [['The plan changes nothing']] }
    return {
      data: done,
      render: () => doneLines(call, done, options.move),
      notes: onto === null || call.dryRun ? [] : [`go there with: sess switch ${quoted(`${id}/${onto}`)}`],
      back: 'sess undo',
    }
  },
})

async function fresh(
  repo: Repo,
  name: string,
  owner: string | undefined,
): Promise<{ session: string; tip: Oid; plan: string }> {
  const { entries, ...of } = await editable(repo, name, owner)
  return { ...of, plan: planText(entries) }
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

/** The editors that are tried on a terminal where the user names none, as git does. */
const USUAL = ['vi', 'nano']

/**
 * Opens a plan in the editor that VISUAL or EDITOR names, or in vi or nano, in a private file in the folder of the store.
 * Throws `no-editor`.
 */
async function edited(call: Invocation, repo: Repo, plan: string): Promise<string> {
  const { variables, env, edit: open } = call.platform
  const named = variables.VISUAL || variables.EDITOR
  const editors = named ? [named] : call.isInteractive && variables.TERM !== 'dumb' ? USUAL : []
  if (editors.length === 0) throw new SessError('no-editor', '$EDITOR', { detail: 'it is not set' })
  const path = join(repo.dir, `sess-plan-${Buffer.from(env.random(8)).toString('hex')}.txt`)
  try {
    await writeFile(path, plan, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    throw writeError(path, error)
  }
  try {
    for (const editor of editors) {
      const code = await open([...(splitWords(editor) ?? [editor]), path], variables)
      if (code === 0) return await readFile(path, 'utf8')
      if (code !== undefined) throw new SessError('no-editor', editor, { detail: `it ended with ${code}` })
    }
    throw new SessError('no-editor', editors.join("' and '"), { detail: 'it could not be started' })
  } finally {
    await rm(path, { force: true })
  }
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
