import { flag, flagOff, type InputOf, option } from './parameters.ts'
import { file, operation, seconds } from './values.ts'

/** The options that every command takes. */
export const GLOBAL = {
  store: option({ ...file('dir'), kind: 'folder' }, 'the folder of the store'),
  json: flag('print JSON: one object, or one per line for lists'),
  lockTimeout: option(seconds(), 'how long to wait for a store that is in use (5)'),
  atOp: option(operation('op'), 'read the store as of an operation or a time'),
  color: flagOff('do not use colours'),
  pager: flagOff('do not use a pager'),
}

export type GlobalOptions = Partial<InputOf<typeof GLOBAL>>
