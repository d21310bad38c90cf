import fc from 'fast-check'
import { runs } from './amount.ts'

fc.configureGlobal({ numRuns: runs(100) })
