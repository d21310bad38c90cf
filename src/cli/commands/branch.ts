import { SessError } from '../../model/errors.ts'
import { short } from '../../model/oid.ts'
import { createBranch, deleteBranch, renameBranch } from '../../ops/branch.ts'
import type { Repo } from '../../repo/repo.ts'
import type { Call, Define } from '../call.ts'
import { examples } from '../examples.ts'
import type { Io } from '../io.ts'
import { typed } from '../quoted.ts'
import { branchLines, branchTable } from '../render/branch.ts'
import { placeText } from '../render/standing.ts'

interface Options {
  readonly delete?: string
  readonly move?: string
  readonly verbose?: boolean
}

const HOW = { hint: "type 'sess help branch' to see how it is used" }

/** `sess branch`: lists, makes, removes or renames branches. */
export const define: Define = (command, act) => {
  command
    .argument('<session>', 'its id, title, or a prefix of its id')
    .argument('[name]', 'the new branch; with -m the new name')
    .argument('[start]', 'the entry that it starts at; the current entry by default')
    .option('-v, --verbose', 'list with fork points, messages, tokens, cost and last activity')
    .option('-d, --delete <branch>', 'delete a branch; its entries stay')
    .option('-m, --move <branch>', 'rename a branch')
    .action(
      act(async (call, session: string, name?: string, start?: string, options: Options = {}) => {
        const { io } = call
        const repo = await call.repo()
        if (options.delete !== undefined) {
          if (name !== undefined || options.move !== undefined)
            throw new SessError('bad-usage', '-d takes one name', HOW)
          await remove(io, repo, session, options.delete)
        } else if (options.move !== undefined) {
          if (name === undefined || start !== undefined)
            throw new SessError('bad-usage', '-m takes two names: OLD NEW', HOW)
          await rename(io, repo, session, [options.move, name])
        } else if (name !== undefined) await make(io, repo, session, [name, start])
        else await list(call, repo, session, options.verbose ?? false)
      }),
    )
  examples(command, [
    ['sess branch 3b1f', 'the branches of a session'],
    ['sess branch 3b1f -v', 'with what each has on its own'],
    ['sess branch 3b1f try 3b1f~4', 'create one at an earlier entry'],
    ['sess branch 3b1f -m try other', 'rename it'],
    ['sess branch 3b1f -d other', 'delete it'],
  ])
}

async function list({ io, world }: Call, repo: Repo, session: string, verbose: boolean): Promise<void> {
  const { branchList } = await import('../../ops/branchlist.ts')
  const { head, tip, branches } = await branchList(repo, session, { figures: verbose })
  if (io.json) {
    for (const branch of branches) await io.data(branch)
    return
  }
  const look = { now: world.env.now(), zone: world.zone }
  for (const line of verbose ? branchTable(branches, look) : branchLines(branches)) await io.print(...line)
  if (!('branch' in head) || tip === null) await io.note(`the session stands ${placeText(head, tip)}`)
}

async function make(
  io: Io,
  repo: Repo,
  session: string,
  [name, start]: [string, string | undefined],
): Promise<void> {
  const made = await createBranch(repo, session, name, start)
  await (io.json ? io.data(made) : io.print(`Made branch ${made.name} at ${short(made.oid)}`))
}

async function remove(io: Io, repo: Repo, session: string, name: string): Promise<void> {
  const gone = await deleteBranch(repo, session, name)
  if (io.json) await io.data({ deleted: gone.name, oid: gone.oid })
  else {
    await io.print(`Removed branch ${gone.name} (was ${short(gone.oid)})`)
    await io.note(`bring it back with: sess branch ${typed(session, gone.name, short(gone.oid))}`)
  }
}

async function rename(io: Io, repo: Repo, session: string, [old, name]: [string, string]): Promise<void> {
  const moved = await renameBranch(repo, session, old, name)
  if (io.json) await io.data(moved)
  else {
    await io.print(`Renamed branch ${old} to ${moved.name}`)
    await io.note(`go back with: sess branch -m ${typed(moved.name, session, old)}`)
  }
}
