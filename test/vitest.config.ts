import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { testsWithVolume } from './support/testswithvolume.ts'

/** Tests that need a process for themselves: of its memory, its limits or its modules. */
const ALONE = [
  'test/crash/collect.test.ts',
  'test/crash/steps.test.ts',
  'test/security/bombs.test.ts',
  'test/formats/core/define.test.ts',
  'test/ops/fsck/newkind.test.ts',
  'test/ops/import/readerstate.test.ts',
  'test/storage/leveldb/syncs.test.ts',
]

export default defineConfig(({ mode }) => {
  // Volume: random files by the thousand, all real transcripts that are there, a crash at each step, and what takes
  // minutes: the package installed anew, journeys in a real browser.
  const hasVolume = mode === 'all' || mode === 'volume'
  const onlyVolume = [
    'test/fuzz/',
    'test/corpus/',
    'test/crash/',
    'test/package/',
    'test/together/',
    'test/web/',
  ]
  const volume = hasVolume ? [] : onlyVolume.map((folder) => `${folder}**`)
  const root = fileURLToPath(new URL('..', import.meta.url))
  const varied =
    mode === 'volume' ? testsWithVolume(join(root, 'test')).map((path) => `test/${path}`) : undefined
  // Passed to each project: what a project inherited would bring the global setup along, which compiles src.
  const common = {
    setupFiles: ['test/support/setup.ts'],
    // Processes, not threads: a native database and tests of kills live in them. Three on the two cores of CI:
    // some tests wait for processes.
    pool: 'forks',
    maxWorkers: 3,
    // Only compiled code can hold a store in its own thread; tests of that set it themselves.
    env: { SESS_PI_STORE: 'off', ...(hasVolume && { SESS_TEST_ALL: '1' }) },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // On a busy machine what another process does may take seconds.
    expect: { poll: { timeout: 20_000 } },
  } satisfies TestProjectInlineConfiguration['test']
  return {
    root,
    test: {
      globalSetup: ['test/support/temporary.ts', 'test/support/built.ts'],
      // Compiling the modules again takes as long as the tests of a small file; it is kept by what a module holds.
      experimental: { fsModuleCache: true },
      maxWorkers: common.maxWorkers,
      reporters: ['default', './test/support/reporter.ts'],
      projects: [
        {
          root,
          test: {
            ...common,
            name: 'alone',
            include: ALONE.filter(
              (path) =>
                !varied || varied.includes(path) || onlyVolume.some((folder) => path.startsWith(folder)),
            ),
            exclude: volume,
          },
        },
        {
          root,
          test: {
            ...common,
            name: 'shared',
            include: varied
              ? [...onlyVolume.map((folder) => `${folder}**/*.test.ts`), ...varied]
              : ['test/**/*.test.ts'],
            exclude: [...volume, ...ALONE],
            // Files share a process: loading the modules again for each of them takes as long as the tests themselves.
            isolate: false,
          },
        },
      ],
    },
  }
})
