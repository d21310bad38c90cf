import { Argument } from 'commander'
import { SessError } from '../../model/errors.ts'
import { operations, showOperation } from '../../ops/operations.ts'
import { restore } from '../../ops/restore.ts'
import type { Call, Define } from '../call.ts'
import { examples } from '../examples.ts'
import { count } from '../options.ts'
import { moveLine, moveLines } from '../render/moves.ts'
import { fateOf, type OperationLook, operationLine, operationText } from '../render/operation.ts'

const VERBS = ['log', 'show', 'restore'] as const

interface Options {
  readonly limit?: number
  readonly session?: string
}

const HOW = { hint: "type 'sess help op' to see how it is used" }

/** `sess op`: lists and shows operations, and goes back to one. */
export const define: Define = (command, act) => {
  command
    .addArgument(new Argument('<what>', 'what to do').choices(VERBS))
    .argument('[operation]', 'its number, or 4 or more digits of its id; to restore also a time')
    .option('-n, --limit <n>', 'log: list at most N', count)
    .option('--session <session>', 'restore: only the refs of this session')
    .addHelpText(
      'after',
      '\n  op log           lists what commands and programs did, the newest first\n' +
        '  op show OP       shows each ref that an operation moved\n' +
        '  op restore OP    makes all refs what they were right after an operation\n\n' +
        'A restore is an operation too: sess undo takes it back. To look without going back: --at-op OP.',
    )
    .action(
      act(async (call, what: (typeof VERBS)[number], operation?: string, options: Options = {}) => {
        if (what === 'log') {
          if (operation !== undefined)
            throw new SessError('bad-usage', "'sess op log' takes no operation", HOW)
          await list(call, options.limit)
        } else {
          if (operation === undefined) throw new SessError('bad-usage', 'no operation was named', HOW)
          await (what === 'show' ? show(call, operation) : goBack(call, operation, options.session))
        }
      }),
    )
  examples(command, [
    ['sess op log -n 5', 'the last 5 operations'],
    ['sess op show 12', 'what operation 12 moved'],
    ['sess op restore 12', 'go back to how all was right after it'],
    ['sess op restore yesterday --session Tea', 'one session as it was when yesterday began'],
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
  const restored = await restore(await call.repo(), text, session === undefined ? {} : { session })
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
