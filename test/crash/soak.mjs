// Tries every fault for ten minutes and prints how often each was tried and what was lost; with --write it puts the
// table into docs/reliability.md. Local files only, all of them removed at the end; works on no store of the user. What
// hangs is ended: nothing of it is left after half as long again and ten minutes, which a busy machine may need.
// node test/crash/soak.mjs [--write] [--minutes N]
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: { write: { type: 'boolean', default: false }, minutes: { type: 'string', default: '10' } },
})
const root = fileURLToPath(new URL('../../', import.meta.url))
const temp = mkdtempSync(join(tmpdir(), 'sess-soak-'))
const file = join(temp, 'runs.jsonl')

const UNMOUNT = 'umount'

/** The mounted file systems, where the system lists them. */
const mounts = () => (existsSync('/proc/mounts') ? readFileSync('/proc/mounts', 'utf8') : '')

/** The tests that try faults, or hold what each class is about. */
const TESTS = [
  'test/crash',
  'test/ops/fsck/repairstore.test.ts',
  'test/repo/lease/delegate.test.ts',
  'test/fuzz/import.test.ts',
  'test/storage/directory/format.test.ts',
  'test/storage/directory/generation.test.ts',
  'test/storage/directory/missingfiles.test.ts',
  'test/storage/leveldb/nolocks.test.ts',
  'test/storage/leveldb/syncs.test.ts',
]

/** The classes of faults. */
const CLASSES = {
  1: 'power cut: unsynced writes are lost',
  2: 'a process killed at any point',
  3: 'a torn or garbled end of the log',
  4: 'bit rot in objects',
  5: 'bit rot in refs and beside the database',
  6: 'missing files',
  7: 'unreachable entries, appended again',
  8: 'collection beside writers',
  9: 'many processes on one ref',
  10: 'a store copied and written on both sides',
  11: 'dead, stopped and hung holders; the clock',
  12: 'no space, EIO, read-only, no handles',
  13: 'a holder that lies or stalls',
  14: 'syncs of each command',
  15: 'readers while others publish',
  16: 'hostile input',
  17: 'newer formats',
}

const minutes = Number(values.minutes)

/** The part of the time that is left to trying, of two processes: the rest is what every run of the tests takes. */
const PART = 0.7

const child = spawn(
  join(root, 'node_modules/.bin/vitest'),
  ['run', '--config', 'test/vitest.config.ts', '--mode', 'all', ...TESTS],
  {
    cwd: root,
    stdio: 'inherit',
    // A group of its own, that can be ended with all that it began.
    detached: true,
    env: {
      ...process.env,
      TMPDIR: temp,
      SESS_SOAK: file,
      SESS_MUTATIONS: `${Math.ceil(minutes * 80)}`,
      SESS_SOAK_SECONDS: `${minutes * 60 * 2 * PART}`,
    },
  },
)
const end = () => {
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, end)
let isLate = false
const late = setTimeout(
  () => {
    isLate = true
    end()
  },
  (minutes * 1.5 + 10) * 60_000,
)
const [status] = await once(child, 'close')
clearTimeout(late)
end()
if (isLate) process.stdout.write('\nthe soak was ended: it took too long\n')
const tallies = (existsSync(file) ? readFileSync(file, 'utf8') : '')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line))
for (const [, mounted] of mounts().matchAll(/^\S+ (\S+) /gm))
  if (mounted.startsWith(`${temp}/`)) spawnSync(UNMOUNT, ['-l', mounted])
rmSync(temp, { recursive: true, force: true })

const rows = ['| fault | tried | lost |', '|---|---|---|']
for (const [fault, name] of Object.entries(CLASSES)) {
  const ofClass = tallies.filter((one) => one.fault === Number(fault))
  const sum = (key) => ofClass.reduce((total, one) => total + one[key], 0)
  const skipped = new Set(ofClass.flatMap(({ what, why }) => (why ? [`; not run: ${what} (${why})`] : [])))
  const counts = ofClass.length > 0 ? [sum('runs').toLocaleString('en'), sum('losses')] : ['', '']
  rows.push(`| ${fault}. ${name}${[...skipped].join('')} | ${counts.join(' | ')} |`)
}
const table = rows.join('\n')
process.stdout.write(`\n${table}\n`)
if (values.write && status !== 0) process.stdout.write('\nnot written: a test failed\n')
else if (values.write) {
  const page = join(root, 'docs/reliability.md')
  const text = readFileSync(page, 'utf8')
  const [before, rest] = text.split('<!-- soak -->\n')
  const [, after] = rest.split('<!-- /soak -->')
  writeFileSync(page, `${before}<!-- soak -->\n${table}\n<!-- /soak -->${after}`)
}
process.exitCode = status ?? 1
