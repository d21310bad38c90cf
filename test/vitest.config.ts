import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig(({ mode }) => ({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    include: ['test/**/*.test.ts'],
    // Volume: random files by the thousand, all real transcripts that are there.
    exclude: mode === 'all' ? [] : ['test/fuzz/**', 'test/corpus/**'],
    setupFiles: ['test/support/setup.ts'],
    // Processes, not threads: a native database and tests of kills live in them. Two, because CI has two cores.
    pool: 'forks',
    maxWorkers: 2,
    // Files share a process: loading the modules again for each of them takes as long as the tests themselves.
    isolate: false,
    // What is compiled only can hold a store in a thread of its own; tests of that set it themselves.
    env: { SESS_PI_STORE: 'off', ...(mode === 'all' && { SESS_TEST_ALL: '1' }) },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ['default', './test/support/reporter.ts'],
  },
}))
