import { defined } from '../../model/json.ts'
import { counted, firstLine, type Line, styled } from '../../text/text.ts'
import { CHECKED, checkProperties, FINDING, fsck } from '../../verbs/fsck.ts'
import { fsckRebuild } from '../../verbs/fsck-rebuild.ts'
import { fsckRelink } from '../../verbs/fsck-relink.ts'
import { fsckRepair, repairSchema } from '../../verbs/fsck-repair.ts'
import { anyOf, described, object, string } from '../../verbs/schema.ts'
import type { Finding, Fsck, Repair } from '../../verbs/types.ts'
import { defineCommand, output } from '../define.ts'
import { EXIT } from '../exitcodes.ts'
import type { Invocation } from '../invocation.ts'
import { flag, type InputOf } from '../parameters.ts'
import { performed } from '../progress.ts'
import { baseLines, graftLines } from '../render/import.ts'

/** A check, with what to type for each finding. */
const checkSchema = object(checkProperties(object({ ...FINDING, hint: string })), {
  grafts: described('with --relink', fsckRelink.output.schema),
})

/** `sess fsck`: checks the store, and repairs it. */
export const command = defineCommand({
  effect: 'write',
  options: {
    rebuild: flag('rebuild the search index first'),
    relink: flag('first attach entries with a missing parent to a session that has it'),
    ...CHECKED,
    repair: flag('repair the damage; replaced files are kept in broken/ in the store'),
    from: {
      ...fsckRepair.input.from,
      about: `with --repair: ${fsckRepair.input.from.about}`,
      needs: 'repair',
    },
  },
  help: `The exit code is ${EXIT.corrupt} if damage remains.
Lost data is also looked for in the files that sessions were imported from.`,
  examples: [
    ['sess fsck', 'check everything'],
    ['sess fsck --rebuild', 'rebuild the search index, then check'],
    ['sess fsck --relink', 'attach entries with a missing parent'],
    ['sess fsck --context', 'find sessions that model APIs would reject'],
    ['sess fsck --repair -n', 'show what would be repaired'],
    ['sess fsck --json', 'print findings as JSON'],
  ],
  output: output(
    'One object; with --repair, done is null if nothing was wrong or nothing was changed.',
    anyOf(checkSchema, repairSchema(checkSchema)),
  ),
  run: async (call, { rebuild, relink, context: contexts, repair, from }) => {
    if (repair) return repairing(call, { context: contexts, ...defined({ from }) })
    const context = await call.context({ tolerant: true })
    if (rebuild) await fsckRebuild.run(context, {})
    const grafts = relink ? await fsckRelink.run(context, {}) : []
    const found = await performed(call, CHECKING, () => fsck.run(context, { context: contexts }))
    if (!found.ok) call.status = EXIT.corrupt
    return {
      data: { ...hinted(found), ...(relink && { grafts }) },
      render: () => [...graftLines(grafts), ...fsckLines(found, { relinked: relink })],
      back: grafts.some(({ parent }) => parent !== null) ? 'sess undo' : undefined,
    }
  },
})

const CHECKING = { step: 'checking', done: { entries: 0, sessions: 0 } }

async function repairing(call: Invocation, input: InputOf<typeof fsckRepair.input>) {
  const repaired = await performed(call, CHECKING, () => fsckRepair.run(call, input))
  const { before, done } = repaired
  if (!(done?.after ?? before).ok || (done?.lost.length ?? 0) > 0) call.status = EXIT.corrupt
  const data = { ...repaired, before: hinted(before), done: done && { ...done, after: hinted(done.after) } }
  return { data, render: () => repairLines(repaired, call.dryRun) }
}

/** Returns a check with what to type for each finding. */
const hinted = (found: Fsck) => ({
  ...found,
  findings: found.findings.map((finding) => ({ ...finding, hint: findingHint(finding.code) })),
})

/** Returns the command to type for a finding. */
const findingHint = (code: string): string =>
  code === 'context'
    ? "type 'sess context SESSION/BRANCH' to see what is sent instead: nothing is lost"
    : repairHint(code)

/** The codes of findings in derived data. */
const REBUILT: ReadonlySet<string> = new Set(['index', 'near', 'journal', 'folder'])

const repairHint = (code: string): string =>
  REBUILT.has(code)
    ? "type 'sess fsck --repair' to rebuild it from the rest"
    : "type 'sess fsck --repair', with '--from DIR' where another store may have it"

/** The number of affected refs that are named for a finding. */
const NAMED = 3

/**
 * Returns the findings of a check; `relinked` if all sessions were searched for missing parents, `lossy` if a repair has
 * named what is lost.
 */
function fsckLines(
  { ok, findings, lacking, waiting, checked }: Fsck,
  { relinked = false, lossy = false } = {},
): Line[] {
  const seen = [
    counted(checked.entries, 'entry'),
    counted(checked.sessions, 'session'),
    counted(checked.records, 'record'),
    counted(checked.operations, 'operation'),
  ].join(', ')
  const hints = [...new Set(findings.map(({ code }) => findingHint(code)))]
  return [
    ...findings.flatMap(findingLines),
    ...lackingLines(lacking, relinked),
    ...baseLines(waiting),
    [
      ok
        ? `${lossy ? 'everything else is sound' : 'all is well'}: ${seen}`
        : `${counted(findings.length, 'finding')} in ${seen}`,
    ],
    ...hints.map((hint): Line => [styled('dim', hint)]),
  ]
}

/** Returns the sessions with missing parents that no graft supplies, and what to type. */
function lackingLines(sessions: Fsck['lacking'], relinked: boolean): Line[] {
  const open = sessions.filter(({ lacking, grafted }) => lacking > grafted)
  const lines = open.map(({ session, lacking, grafted }): Line => {
    const entries = lacking - grafted
    return [
      styled('yellow', 'missing parent'),
      ` ${firstLine(session)}: ${counted(entries, 'entry')} with a parent that the source does not contain`,
    ]
  })
  if (open.length > 0 && !relinked)
    lines.push([styled('dim', "type 'sess fsck --relink' to look for them in all sessions")])
  return lines
}

function findingLines({ code, subject, message, refs, lastGood }: Finding): Line[] {
  const more = refs.length > NAMED ? ` and ${refs.length - NAMED} more` : ''
  const good = lastGood ? `; undamaged up to ${lastGood.slice(0, 12)}` : ''
  return [
    [styled('red', code), ` ${firstLine(subject)}: ${firstLine(message)}`],
    ...(refs.length > 0
      ? [[`  affects ${refs.slice(0, NAMED).map(firstLine).join(', ')}${more}${good}`] satisfies Line]
      : []),
  ]
}

/** Returns the findings and the result of a repair. */
function repairLines({ before, done }: Repair, dryRun: boolean): Line[] {
  if (before.ok) return fsckLines(before)
  if (!done) return [...fsckLines(before), [dryRun ? 'nothing was changed' : 'nothing was repaired']]
  const lost = done.operations.length
  return [
    ...before.findings.flatMap(findingLines),
    ...done.written.map((file): Line => [`'${file}' was written again`]),
    ...(done.pairs > 0
      ? [
          [
            `rebuilt from ${counted(done.pairs, 'undamaged row')}; ${done.dropped} failed their checksum`,
          ] satisfies Line,
        ]
      : []),
    ...(lost > 0 ? [[`${counted(lost, 'operation')} recovered from the journal`] satisfies Line] : []),
    ...(done.entries > 0 ? [[`${counted(done.entries, 'entry')} recovered`] satisfies Line] : []),
    ...done.refs.map(
      ({ name, old, new: value }): Line => [`${firstLine(name)}: ${shown(old)} -> ${shown(value)}`],
    ),
    ...done.lost.map((name): Line => [`lost: the newest value of ${firstLine(name)}`]),
    ...(done.aside === null ? [] : [[`the replaced files are kept in '${done.aside}'`] satisfies Line]),
    ...fsckLines(done.after, { lossy: done.lost.length > 0 }),
  ]
}

const shown = (value: unknown): string => {
  if (value === null) return 'none'
  return firstLine(typeof value === 'string' ? value.slice(0, 12) : JSON.stringify(value)).slice(0, 60)
}
