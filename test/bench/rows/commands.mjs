// The time of commands on a large store, against the start of node: a command of `sess` is a process of node.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inTurns } from '../measure.mjs'
import { manySessions } from './sessions.mjs'

const row = ({ size }, name, args, { least, aim } = {}) => ({
  name: `sess ${name}, a store of ${size.sessions} sessions`,
  peer: 'node -e 0',
  unit: 'ms',
  limit: 'times',
  least,
  aim,
  run(bench) {
    const { store, session } = manySessions(bench)
    return inTurns(
      bench.times(21),
      () => bench.timeSess(store, ...args(session)),
      () => bench.time(process.execPath, ['-e', '0']),
    )
  },
})

/** What an agent waits for when it calls a hook, while a settler runs. */
const hookRow = {
  name: 'a hook of an agent',
  peer: 'node -e 0',
  unit: 'ms',
  limit: 'times',
  least: 1.5,
  aim: 1.2,
  run(bench) {
    const folder = bench.path('sess-live')
    const told = bench.path('told.json')
    mkdirSync(folder, { recursive: true })
    writeFileSync(told, JSON.stringify({ transcript_path: bench.path('x.jsonl'), cwd: bench.temp }))
    const [sess] = bench.sessWords('')
    const hook = () => {
      writeFileSync(join(folder, 'settler.lock'), `${process.pid}`)
      return bench.time(process.execPath, [sess, 'hook', '--folder', folder, 'claude-code'], { input: told })
    }
    return inTurns(bench.times(21), hook, () => bench.time(process.execPath, ['-e', '0']))
  },
}

/** The rows on commands. */
export const commandRows = (bench) => [
  hookRow,
  row(bench, 'log -n 5', (session) => ['log', session, '-n', '5'], { least: 1.8, aim: 1.4 }),
  row(bench, 'show', (session) => ['show', session], { least: 1.8, aim: 1.4 }),
  row(bench, 'ls', () => ['ls'], { least: 2.2, aim: 1.4 }),
  row(bench, 'tree', (session) => ['tree', session]),
  row(bench, "completion words -- log ''", () => ['completion', 'words', '--', 'log', ''], {
    least: 1.7,
    aim: 1.4,
  }),
]
