import { durabilityLaws } from './laws/durability.ts'
import type { Law, Open } from './laws/law.ts'
import { logLaws } from './laws/logs.ts'
import { nodeLaws } from './laws/nodes.ts'
import { objectLaws } from './laws/objects.ts'
import { operationLaws, refLaws } from './laws/refs.ts'
import { coverageLaws, wordLaws } from './laws/searchindex.ts'

export type { Backend } from '../../src/storage/backend.ts'
export type { Law, Open, Trial } from './laws/law.ts'

/**
 * Returns the laws of backends as checks for any test runner: each opens an empty backend of its own, throws an
 * AssertionError where the law does not hold, and returns false where the backend need not obey it.
 */
export const conformance = (open: Open): readonly Law[] => [
  ...objectLaws(open),
  ...nodeLaws(open),
  ...refLaws(open),
  ...operationLaws(open),
  ...logLaws(open),
  ...coverageLaws(open),
  ...wordLaws(open),
  ...durabilityLaws(open),
]
