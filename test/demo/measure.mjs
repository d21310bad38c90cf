// Measures how long the commands of the README take, each in a fresh clone: elapsed and processor seconds.
//   node test/demo/measure.mjs [--write] ['npm ci && npm run demo' …]
// --write notes the time behind each command in the README.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const repository = fileURLToPath(new URL('../..', import.meta.url))
const README = fileURLToPath(new URL('../../README.md', import.meta.url))
const named = process.argv.slice(2).filter((word) => word !== '--write')
const writes = process.argv.includes('--write')
const commands = named.length > 0 ? named : ['npm ci && npm run demo', 'npm cit']

/** Runs a command and returns its exit code and what it printed on stderr. */
function run(program, ...words) {
  const { status, stderr, error } = spawnSync(program, words, { encoding: 'utf8' })
  if (error) throw error
  return { status, stderr }
}

/** Notes in the README how long a command took. */
function note(command, seconds, cores) {
  const taken = seconds < 100 ? `${Math.ceil(seconds / 10) * 10} s` : `${Math.ceil(seconds / 60)} min`
  const lines = readFileSync(README, 'utf8').split('\n')
  const at = lines.findIndex((line) => line.startsWith(`${command} `))
  if (at < 0) throw new Error(`the README has no line for '${command}'`)
  lines[at] = `${lines[at].replace(/ \([^()]*\)$/, '')} (${taken} on ${cores} cores)`
  writeFileSync(README, lines.join('\n'))
}

for (const command of commands) {
  const folder = mkdtempSync(join(tmpdir(), 'sess-measure-'))
  try {
    const cloned = run('git', 'clone', '--quiet', '--depth', '1', `file://${repository}`, folder)
    if (cloned.status !== 0) throw new Error(cloned.stderr)
    const script = `cd '${folder}' || exit; TIMEFORMAT='%R %U %S'; time { (${command}) > /dev/null 2>&1; }`
    const { status, stderr } = run('bash', '-c', script)
    const [elapsed, user, system] = stderr.trim().split(' ').map(Number)
    const cores = availableParallelism()
    console.log(
      `${command}: ${elapsed.toFixed(0)} s, ${(user + system).toFixed(0)} s of processor time on ${cores} cores` +
        (status === 0 ? '' : `, exit code ${status}`),
    )
    if (writes && status === 0) note(command, elapsed, cores)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
