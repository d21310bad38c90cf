import { operations, showOperation } from '../../ops/operations.ts'
import { restore } from '../../ops/restore.ts'
import type { Call, Define } from '../call.ts'
import { examples } from '../examples.ts'
import { count } from '../options.ts'
import { moveLine, moveLines } from '../render/moves.ts'
import { fateOf, type OperationLook, operationLine, operationText } from '../render/operation.ts'

interface Options {
  readonly limit?: number
  readonly session?: string
}

const OPERATION = 'its number, or 4 or more digits of its id'

/** `sess op`: lists and shows operations, and goes back to one. */
export const define: Define = (command, act) => {
  command
    .helpCommand(false)
    .usage('COMMAND')
    .configureHelp({ subcommandTerm: (sub) => `${sub.name()} ${sub.usage()}` })
    .addHelpText(
      'after',
      '\nA restore is an operation, too: sess undo reverts it. To look without restoring, use --at-op OP.',
    )
  const log = command
    .command('log')
    .description('list operations, newest first')
    .option('-n, --limit <n>', 'list at most N', count)
    .action(act(async (call, { limit }: Options) => list(call, limit)))
  const one = command
    .command('show')
    .description('show the refs that an operation moved')
    .argument('<operation>', OPERATION)
    .action(act(async (call, operation: string) => show(call, operation)))
  const back = command
    .command('restore')
    .description('restore all refs to their values after an operation')
    .argument('<operation>', `${OPERATION}, or a time; 0 is the beginning`)
    .option('--session <session>', 'only the refs of this session')
    .action(act(async (call, operation: string, { session }: Options) => goBack(call, operation, session)))
  examples(command, [
    ['sess op log -n 5', 'the last 5 operations'],
    ['sess op show 1', 'the refs that operation 1 moved'],
    ['sess op restore 1 -n', 'show what a restore would move'],
    ['sess op restore yesterday', 'restore the state at the start of yesterday'],
  ])
  examples(log, [
    ['sess op log -n 5', 'the last 5 operations'],
    ['sess op log --json', 'all of them for a program, a line each'],
  ])
  examples(one, [
    ['sess op show 12', 'by its number'],
    ['sess op show 4fd2a1', 'by its id'],
  ])
  examples(back, [
    ['sess op restore 12', 'go back to how all was right after operation 12'],
    ['sess op restore yesterday --session 3b1f', 'one session as it was when yesterday began'],
  ])
}

const lookOf = ({ io, world }: Call): OperationLook => ({
  columns: io.columns,
  zone: world.zone,
  now: world.env.now(),
})

async function list(call: Call, limit: number | undefined): Promise<void> {
  const { io } = call
  let width = 0
  for await (const operation of operations(await call.repo(), limit === undefined ? {} : { limit })) {
    width ||= `${operation.number}`.length
    await (io.json ? io.data(operation) : io.print(...operationLine(operation, width, lookOf(call))))
  }
}

async function show(call: Call, text: string): Promise<void> {
  const { io } = call
  const operation = await showOperation(await call.repo(), text)
  if (io.json) {
    await io.data(operation)
    return
  }
  await io.print(...operationText(operation, lookOf(call)))
  await io.print(
    `  id ${operation.id}, by ${operation.who}${fateOf(operation)
      .map((fate) => `, ${fate}`)
      .join('')}`,
  )
  for (const move of operation.moves) await io.print(...moveLine(move))
}

async function goBack(call: Call, text: string, session: string | undefined): Promise<void> {
  const { io } = call
  const restored = await restore(await call.repo(), text, {
    zone: call.world.zone,
    ...(session === undefined ? {} : { session }),
  })
  if (io.json) {
    await io.data(restored)
    return
  }
  const { operation, by, moves } = restored
  const moment = operation === 0 ? 'the beginning' : `operation ${operation}`
  if (by === null) {
    await io.print(`Nothing to restore: all is as it was after ${moment}`)
    return
  }
  await io.print(`Went back to ${moment}: ${moves.length === 1 ? '1 ref' : `${moves.length} refs`} moved`)
  for (const line of moveLines(moves, `${by}`)) await io.print(...line)
  await io.note('undo it with: sess undo')
}
