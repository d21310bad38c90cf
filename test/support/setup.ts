import fc from 'fast-check'
import { afterEach } from 'vitest'
import { runs } from './amount.ts'
import { cleanUp } from './cleanup.ts'

fc.configureGlobal({ numRuns: runs(100) })

// The whole corpus written as files is tens of thousands of them.
afterEach(cleanUp, 600_000)
