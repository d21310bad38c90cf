import { operations, restore, showOperation } from '../../ops/operations.ts'
import { operationCursor } from '../../ops/rows/cursor.ts'
import { operationPage } from '../../ops/rows/operationpage.ts'
import { defineFamily, defineSubcommand, output } from '../define.ts'
import { OPERATION, refMovesSchema } from '../outputschemas.ts'
import { CURSOR, hasCursors, pageIn, pageOptions } from '../pageoptions.ts'
import { count, operation, option, required, session } from '../parameters.ts'
import { fateOf, moveLine, moveLines, operationLine, operationText } from '../render/operation.ts'
import { did } from '../render/text.ts'
import { described, integer, nullable, object } from '../schema.ts'

const OPERATION_NAME = 'its number, or 4 or more digits of its id'

const logCommand = defineSubcommand({
  name: 'log',
  summary: 'list operations, newest first',
  effect: 'read',
  paged: true,
  options: { limit: option(count(), 'list at most N', { short: 'n' }), ...pageOptions() },
  examples: [
    ['sess op log -n 5', 'the last 5 operations'],
    ['sess op log --json', 'all of them for a program, a line each'],
  ],
  output: output('A line for each operation.', object(OPERATION, CURSOR)),
  run: async (call, options, out) => {
    let width = 0
    const repo = await call.repo()
    const page = pageIn(options)
    const isNamed = hasCursors(options)
    for await (const one of page ? (await operationPage(repo, page)).items : operations(repo, options)) {
      width ||= `${one.number}`.length
      const row = isNamed ? { ...one, cursor: operationCursor(one.number) } : one
      await (call.io.json ? out.data(row) : call.io.print(...operationLine(one, width, call.display)))
    }
  },
})

const showCommand = defineSubcommand({
  name: 'show',
  summary: 'show the refs that an operation moved',
  effect: 'read',
  paged: true,
  arguments: { operation: required(operation(), OPERATION_NAME) },
  examples: [
    ['sess op show 12', 'by its number'],
    ['sess op show 4fd2a1', 'by its id'],
  ],
  output: output('One object with its moves.', object({ ...OPERATION, moves: refMovesSchema })),
  run: async (call, { operation: name }) => {
    const found = await showOperation(await call.repo(), name)
    const about = [`  id ${found.id}, by ${found.who}`, ...fateOf(found)].join(', ')
    return {
      data: found,
      render: () => [operationText(found, call.display), [about], ...found.moves.map(moveLine)],
    }
  },
})

const restoreCommand = defineSubcommand({
  name: 'restore',
  summary: 'restore all refs to their values after an operation',
  effect: 'write',
  arguments: { operation: required(operation(), `${OPERATION_NAME}, or a time; 0 is the beginning`) },
  options: { session: option(session(), 'only the refs of this session') },
  examples: [
    ['sess op restore 12', 'restore the state after operation 12'],
    ['sess op restore yesterday --session 3b1f', 'restore one session to the start of yesterday'],
  ],
  output: output(
    'One object.',
    object({
      operation: integer,
      by: described('null where nothing moved', nullable(integer)),
      moves: refMovesSchema,
    }),
  ),
  run: async (call, { operation: name, ...options }) => {
    const restored = await restore(await call.repo(), name, { zone: call.platform.zone, ...options })
    const { operation: number, by, moves } = restored
    const moment = number === 0 ? 'the beginning' : `operation ${number}`
    if (by === null)
      return { data: restored, render: () => [[`Nothing to restore: all is as it was after ${moment}`]] }
    const refs = moves.length === 1 ? '1 ref' : `${moves.length} refs`
    return {
      data: restored,
      render: () => [[`${did(call, 'Restored')} ${refs} to ${moment}`], ...moveLines(moves, `${by}`)],
      back: 'sess undo',
    }
  },
})

/** `sess op`: lists, shows and restores operations. */
export const command = defineFamily({
  help: 'A restore is an operation, too: sess undo reverts it. To look without restoring, use --at-op OP.',
  examples: [
    ['sess op log -n 5', 'the last 5 operations'],
    ['sess op show 1', 'the refs that operation 1 moved'],
    ['sess op restore 1 -n', 'show what a restore would move'],
    ['sess op restore 0', 'restore the state before the first operation'],
  ],
  commands: [logCommand, showCommand, restoreCommand],
})
