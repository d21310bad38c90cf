import { SessError } from '../../model/errors.ts'
import { short } from '../../model/oid.ts'
import { listLabels, removeLabel, setLabel } from '../../ops/label.ts'
import type { Repo } from '../../repo/repo.ts'
import type { Call, Define } from '../call.ts'
import { examples } from '../examples.ts'
import { quoted } from '../quoted.ts'
import { labelLines } from '../render/label.ts'

interface Options {
  readonly session?: string
  readonly all?: boolean
  readonly find?: string
  readonly force?: boolean
  readonly delete?: string
}

const HOW = { hint: "type 'sess help label' to see how it is used" }

/** `sess label`: sets, lists and removes labels. */
export const define: Define = (command, act) => {
  command
    .argument('[label]', 'the label; without it, list the labels')
    .argument('[revision]', 'the entry to label; the current entry by default')
    .option('--session <session>', 'the session of the label (@)')
    .option('--all', 'list the labels of all sessions')
    .option('--find <text>', 'list labels with this text in their name or entry')
    .option('-f, --force', 'move an existing label')
    .option('-d, --delete <label>', 'delete a label; its entry stays')
    .addHelpText(
      'after',
      `
A label names an entry until you move it; SESSION/LABEL is a revision. Labels set by agents are imported too.
A fork keeps the labels on the path that it shares.`,
    )
    .action(
      act(async (call, name: string | undefined, revision: string | undefined, options: Options) => {
        const repo = await call.repo()
        if (options.delete !== undefined) {
          if (name !== undefined) throw new SessError('bad-usage', '-d takes one name', HOW)
          await remove(call, repo, options.delete, options)
        } else if (name === undefined) await list(call, repo, options)
        else await set(call, repo, [name, revision], options)
      }),
    )
  examples(command, [
    ['sess label good 3b1f~7', 'label an entry'],
    ['sess label -f good 3b1f~2', 'move the label to another entry'],
    ['sess label before-refactor --session 3b1f', 'label the current entry of a session'],
    ['sess label --session 3b1f', 'list the labels of a session'],
    ['sess label --find clock --all', 'find labels in all sessions'],
    ['sess label -d good --session 3b1f', 'delete a label'],
  ])
}

async function list({ io }: Call, repo: Repo, { session = '@', all = false, find }: Options): Promise<void> {
  const labels = await listLabels(repo, all ? undefined : session, find)
  if (io.json)
    for (const { entry, ...label } of labels) await io.data({ ...label, role: entry.role, text: entry.text })
  else if (labels.length === 0 && find !== undefined) await io.note(`no label has '${find}'`)
  else if (labels.length === 0) await io.note("no labels: type 'sess label NAME' to set one")
  else for (const line of labelLines(labels, { columns: io.columns, all })) await io.print(...line)
}

async function set(
  { io }: Call,
  repo: Repo,
  [name, revision]: readonly [string, string | undefined],
  { session, force = false }: Options,
): Promise<void> {
  const made = await setLabel(repo, name, revision, { force, ...(session === undefined ? {} : { session }) })
  const { before, oid } = made
  if (io.json) {
    await io.data(made)
    return
  }
  const was = before === null || before === oid ? '' : ` (was ${short(before)})`
  await io.print(`Label ${name} of session ${made.session} names ${short(oid)}${was}`)
  if (before !== null && was !== '')
    await io.note(
      `go back with: sess label -f --session ${quoted(made.session)} ${quoted(name)} ${short(before)}`,
    )
}

async function remove({ io }: Call, repo: Repo, name: string, { session }: Options): Promise<void> {
  const gone = await removeLabel(repo, name, session)
  if (io.json) {
    await io.data({ session: gone.session, deleted: gone.name, oid: gone.oid })
    return
  }
  await io.print(`Removed label ${name} of session ${gone.session} (was ${short(gone.oid)})`)
  await io.note(
    `bring it back with: sess label --session ${quoted(gone.session)} ${quoted(name)} ${short(gone.oid)}`,
  )
}
