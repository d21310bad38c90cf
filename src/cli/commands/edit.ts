import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Option } from 'commander'
import { SessError } from '../../model/errors.ts'
import { type Oid, short } from '../../model/oid.ts'
import { parsePlan } from '../../model/plan.ts'
import { type Edited, type EditOptions, edit, editable } from '../../ops/edit.ts'
import type { Repo } from '../../repo/repo.ts'
import type { Call, Define } from '../call.ts'
import { edited } from '../editor.ts'
import { textOf } from '../entries.ts'
import { examples } from '../examples.ts'
import { quoted } from '../quoted.ts'
import { broughtLines, placeLine } from '../render/brought.ts'
import { planText } from '../render/plan.ts'
import { counted, grouped } from '../render/text.ts'

interface Options extends EditOptions {
  readonly plan?: string
  readonly printPlan?: boolean
}

/** `sess edit`: leaves out, rewords, joins or reorders entries on a new branch. */
export const define: Define = (command, act) => {
  command
    .argument('[revision]', 'a session or branch; an entry, for what follows it; a range A..B', '@')
    .option('--session <session>', 'the session of bare branch names (@)')
    .option('--print-plan', 'print the plan that changes nothing, and exit')
    .option('--plan <file>', 'apply the plan in a file; - is standard input')
    .addOption(new Option('--branch <name>', 'the name of the new branch (edit-DIGITS)').conflicts('move'))
    .option('--move', 'move the branch instead of creating one')
    .addHelpText(
      'after',
      `
A plan has one line per entry: pick, drop, reword or squash, and the oid. Entries are written in the order of the
lines. The new text of a reword follows it, each line after a >. A tool call and its results stay together.
Without --plan, the editor in $VISUAL or $EDITOR opens the plan.`,
    )
    .action(
      act(async (call, revision: string, options: Options) => {
        const { io } = call
        const repo = await call.repo()
        const { plan, printPlan, ...rest } = options
        const text = plan === undefined ? await fresh(repo, revision, options) : await given(call, plan)
        if (typeof text !== 'string' && printPlan) {
          if (io.json) await io.data(text)
          else await io.text(text.plan.trimEnd())
          return
        }
        const steps = parsePlan(typeof text === 'string' ? text : await edited(call, repo, text.plan))
        await tell(call, await edit(repo, revision, steps, rest), rest.move ? 'Moved' : 'Made')
      }),
    )
  examples(command, [
    ['sess edit 3b1f~4 --print-plan > plan.txt', 'write a plan for the newest four entries'],
    ['sess edit 3b1f~4 --plan plan.txt --branch short', 'apply it after you changed it'],
    ["echo 'pick 98c5e71a' | sess edit 3b1f~4 --plan -", 'keep one of the four'],
  ])
}

async function fresh(
  repo: Repo,
  revision: string,
  { session }: Options,
): Promise<{ session: string; tip: Oid; plan: string }> {
  const { entries, ...of } = await editable(repo, revision, session)
  return { ...of, plan: planText(entries) }
}

async function given({ world }: Call, file: string): Promise<string> {
  if (file === '-') return textOf(world.stdin)
  const path = resolve(world.env.cwd, file)
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    throw new SessError('unreadable-path', path, { hint: 'check the file; nothing was changed', cause })
  }
}

async function tell({ io }: Call, done: Edited, did: 'Moved' | 'Made'): Promise<void> {
  if (io.json) {
    await io.data(done)
    return
  }
  const { change, session, branch, before, dropped, along, lifted, tokens, map } = done
  if (change === 'unchanged') {
    await io.print('The plan changes nothing')
    return
  }
  const place = did === 'Made' ? placeLine({ ...done, before: done.tip }) : placeLine(done)
  const from = did === 'Made' && before !== null ? ` (from ${short(before)})` : ''
  await io.print(`${did} `, ...place, `${from}, ${counted(map.length, 'entry', 'entries')} said anew`)
  for (const line of broughtLines(done)) await io.print(...line)
  for (const [oids, what] of [
    [dropped, 'dropped'],
    [along, 'dropped too, as its tool call or result was'],
    [lifted, 'put right behind its tool call'],
  ] as const)
    for (const oid of oids) await io.print(`  ${short(oid)} ${what}`)
  const saved = tokens.before - tokens.after
  const more = saved === 0 ? 'as many' : `${grouped(Math.abs(saved))} ${saved > 0 ? 'fewer' : 'more'}`
  await io.print(`tokens: ${grouped(tokens.before)} -> ${grouped(tokens.after)} (${more}, estimated)`)
  if (branch !== null) await io.note(`go there with: sess switch ${quoted(`${session}/${branch}`)}`)
  await io.note('go back with: sess undo')
}
