import { fateOf, moveLine, moveLines, operationLine, operationText } from '../../text/operation.ts'
import { did } from '../../text/text.ts'
import { opLog } from '../../verbs/op-log.ts'
import { opRestore } from '../../verbs/op-restore.ts'
import { opShow } from '../../verbs/op-show.ts'
import { defineFamily } from '../define.ts'
import { present, presentList } from '../present.ts'

const logCommand = {
  name: 'log',
  summary: opLog.summary,
  ...presentList(opLog, {
    paged: true,
    short: { limit: 'n' },
    examples: [
      ['sess op log -n 5', 'the last 5 operations'],
      ['sess op log --json', 'all of them for a program, a line each'],
    ],
    is: 'A line for each operation.',
    show: ({ display }) => {
      let width = 0
      return (one) => {
        width ||= `${one.number}`.length
        return [operationLine(one, width, display)]
      }
    },
  }),
}

const showCommand = {
  name: 'show',
  summary: opShow.summary,
  ...present(opShow, {
    paged: true,
    arguments: ['operation'],
    examples: [
      ['sess op show 12', 'by its number'],
      ['sess op show 4fd2a1', 'by its id'],
    ],
    is: 'One object with its moves.',
    show: (found, { display }) => {
      const about = [`  id ${found.id}, by ${found.who}`, ...fateOf(found)].join(', ')
      return { render: () => [operationText(found, display), [about], ...found.moves.map(moveLine)] }
    },
  }),
}

const restoreCommand = {
  name: 'restore',
  summary: opRestore.summary,
  ...present(opRestore, {
    arguments: ['operation'],
    examples: [
      ['sess op restore 12', 'restore the state after operation 12'],
      ['sess op restore yesterday --session 3b1f', 'restore one session to the start of yesterday'],
    ],
    show: ({ operation: number, by, moves }, call) => {
      const moment = number === 0 ? 'the beginning' : `operation ${number}`
      if (by === null) return { render: () => [[`Nothing to restore: all is as it was after ${moment}`]] }
      const refs = moves.length === 1 ? '1 ref' : `${moves.length} refs`
      return {
        render: () => [[`${did(call, 'Restored')} ${refs} to ${moment}`], ...moveLines(moves, `${by}`)],
        back: 'sess undo',
      }
    },
  }),
}

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
