import {
  about,
  anything,
  count,
  type Described,
  either,
  list,
  nullable,
  object,
  text,
  truth,
  word,
} from './build.ts'
import { oid, time } from './parts.ts'

/** An operation of the operation log. */
const OPERATION = {
  number: count,
  id: text,
  time: nullable(time),
  who: text,
  command: text,
  refs: about('how many refs it moved', count),
  turn: about(
    'what it did with another operation',
    nullable(object({ kind: word('undo', 'redo', 'restore'), operation: count })),
  ),
  undoneBy: about('the operation by which it is undone', nullable(count)),
}

const moves = list(object({ name: text, old: anything, new: anything }))

const turned = object({
  kind: word('undo', 'redo'),
  operation: object(OPERATION),
  by: about('the number of the operation that did it', count),
  moves,
  left: about('heads of logs of appends that moved since and stayed', list(text)),
})

/** The output of commands about operations. */
export const undo: Readonly<Record<string, Described>> = {
  undo: about('One object.', turned),
  redo: about('One object.', turned),
  op: about(
    'With log a line for each operation; with show one object with its moves; with restore one object.',
    either(
      object(OPERATION),
      object({ ...OPERATION, moves }),
      object({ operation: count, by: about('null where nothing moved', nullable(count)), moves }),
    ),
  ),
  reflog: about(
    'A line for each move.',
    object({
      session: text,
      name: about('the branch or label, or HEAD', text),
      index: count,
      oid: nullable(oid),
      branch: about('of a HEAD on a branch', nullable(text)),
      root: about('whether it is a HEAD before the first entry', truth),
      operation: count,
      time: nullable(time),
      who: text,
      command: text,
      text: nullable(text),
    }),
  ),
}
