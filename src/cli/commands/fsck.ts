import { defined } from '../../model/json.ts'
import type { Finding } from '../../ops/fsck/finding.ts'
import { type Fsck, fsck } from '../../ops/fsck/fsck.ts'
import { type Repair, repairStore } from '../../ops/fsck/repairstore.ts'
import { relink } from '../../ops/graft.ts'
import { reindex } from '../../ops/indexing.ts'
import { counted, firstLine, type Line, styled } from '../../text/text.ts'
import { anyOf, arrayOf, boolean, described, integer, nullable, object, string } from '../../verbs/schema.ts'
import { basedSchema, graftSchema, oidSchema, refMovesSchema } from '../../verbs/wire.ts'
import { defineCommand, output } from '../define.ts'
import { EXIT } from '../exitcodes.ts'
import type { Invocation } from '../invocation.ts'
import { flag, folder, option } from '../parameters.ts'
import { during, type ProgressStep } from '../progress.ts'
import { baseLines, graftLines } from '../render/import.ts'
import { quoted } from '../shellwords.ts'

const checkSchema = object(
  {
    ok: boolean,
    findings: arrayOf(
      object({
        code: string,
        subject: string,
        message: string,
        refs: described('the refs that it affects', arrayOf(string)),
        lastGood: described('the nearest undamaged entry before it', nullable(oidSchema)),
        hint: string,
      }),
    ),
    lacking: described(
      'how many entries lack the parent that their source names, and how many of them have a graft',
      arrayOf(object({ session: string, lacking: integer, grafted: integer })),
    ),
    waiting: described('sessions that refer to a history that the store lacks', arrayOf(basedSchema)),
    checked: object({ entries: integer, sessions: integer, records: integer, operations: integer }),
  },
  { grafts: described('with --relink', arrayOf(graftSchema)) },
)

/** `sess fsck`: checks the store, and repairs it. */
export const command = defineCommand({
  effect: 'write',
  options: {
    rebuild: flag('rebuild the search index first'),
    relink: flag('first attach entries with a missing parent to a session that has it'),
    context: flag('also report paths that model APIs would reject'),
    repair: flag('repair the damage; replaced files are kept in broken/ in the store'),
    from: option(folder(), 'with --repair: another store to recover lost data from, such as a backup', {
      needs: 'repair',
    }),
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
    anyOf(
      checkSchema,
      object({
        before: checkSchema,
        done: nullable(
          object({
            pairs: described('rows of the database that were copied', integer),
            dropped: described('rows that failed their checksum', integer),
            operations: described('the numbers of operations that only the journal has', arrayOf(integer)),
            written: described('small files of the folder that were written again', arrayOf(string)),
            aside: described('the folder that holds the replaced files, if any', nullable(string)),
            refs: refMovesSchema,
            lost: described('the refs whose newest known value is lost', arrayOf(string)),
            entries: described('recovered from another store, or from source files', integer),
            after: checkSchema,
          }),
        ),
      }),
    ),
  ),
  run: async (call, { rebuild, relink: links, context, repair, from }) => {
    if (repair) return repairing(call, context, from)
    const repo = await call.repo({ tolerant: true })
    if (rebuild) await reindex(repo)
    const grafts = links ? await relink(repo) : []
    const found = await checking(call, (onProgress) => fsck(repo, { onProgress, contexts: context }))
    if (!found.ok) call.status = EXIT.corrupt
    return {
      data: { ...hinted(found), ...(links && { grafts }) },
      render: () => [...graftLines(grafts), ...fsckLines(found, { relinked: links })],
      back: grafts.some(({ parent }) => parent !== null) ? 'sess undo' : undefined,
    }
  },
})

async function repairing(call: Invocation, context: boolean, from: string | undefined) {
  const { platform, dryRun, argv } = call
  const repaired = await checking(call, (onProgress) =>
    repairStore(call.store, {
      env: platform.env,
      command: `sess ${argv.map(quoted).join(' ')}`,
      dryRun,
      onProgress,
      contexts: context,
      ...defined({ from }),
    }),
  )
  const { before, done } = repaired
  if (!(done?.after ?? before).ok || (done?.lost.length ?? 0) > 0) call.status = EXIT.corrupt
  const data = { ...repaired, before: hinted(before), done: done && { ...done, after: hinted(done.after) } }
  return { data, render: () => repairLines(repaired, dryRun) }
}

function checking<T>(
  call: Invocation,
  work: (onProgress: (entries: number, sessions: number) => void) => Promise<T>,
): Promise<T> {
  let done: readonly [entries: number, sessions: number] = [0, 0]
  const step = (): ProgressStep => ({
    text: `checking: ${counted(done[0], 'entry')}, ${counted(done[1], 'session')}`,
  })
  return during(call, step, () =>
    work((...now) => {
      done = now
    }),
  )
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
