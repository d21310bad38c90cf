import type { CellKey } from './listcells.ts'

/** Tells whether a value is one that a column may have. */
export type Fits = (cell: unknown) => boolean

const isText: Fits = (cell) => typeof cell === 'string'
const isNumber: Fits = (cell) => typeof cell === 'number'
const orNone =
  (fits: Fits): Fits =>
  (cell) =>
    cell === null || fits(cell)
const areTexts: Fits = (cell) => Array.isArray(cell) && cell.every(isText)
const areFields: Fits = (cell) =>
  typeof cell === 'object' && cell !== null && !Array.isArray(cell) && Object.values(cell).every(isText)
/** A date holds no time that is further from 1970. */
const isTime: Fits = (cell) => typeof cell === 'number' && Math.abs(cell) <= 8.64e15

/** What each column of a list may have. */
export const FITS: { readonly [K in CellKey]: Fits } = {
  id: isText,
  format: isText,
  title: orNone(isText),
  opening: orNone(isText),
  remainder: orNone(isText),
  cwd: orNone(isText),
  entries: isNumber,
  records: isNumber,
  prompts: isNumber,
  calls: isNumber,
  tokens: orNone(isNumber),
  input: orNone(isNumber),
  output: orNone(isNumber),
  cacheRead: orNone(isNumber),
  cacheWrite: orNone(isNumber),
  cost: orNone(isNumber),
  model: orNone(isText),
  branches: areTexts,
  labels: areTexts,
  set: areFields,
  head: orNone(isText),
  parent: orNone(isText),
  agents: areTexts,
  created: orNone(isTime),
  updated: orNone(isTime),
  source: orNone(isText),
}
