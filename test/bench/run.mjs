// Measures sess against git and node in one run, prints the ratios, and writes them to docs/benchmarks.md with
// --write. Usage: npm run bench [-- --write] [-- FOLDER], a folder of transcripts, ../shared/corpus unless said.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const words = process.argv.slice(2)
const corpus = resolve(words.find((word) => !word.startsWith('-')) ?? join(root, '../shared/corpus'))
if (!existsSync(corpus)) throw new Error(`no transcripts at ${corpus}: name a folder of them`)
const temp = mkdtempSync(join(tmpdir(), 'sess-bench-'))
process.on('exit', () => rmSync(temp, { recursive: true, force: true }))
const env = {
  ...process.env,
  HOME: temp,
  XDG_DATA_HOME: temp,
  XDG_CONFIG_HOME: temp,
  GIT_CONFIG_NOSYSTEM: '1',
}
const run = (command, args, cwd = temp) =>
  execFileSync(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'ignore'] })
const sess = (...args) =>
  run(process.execPath, [join(root, 'bin/sess.js'), '--store', join(temp, 'store'), ...args])

/** Gives the milliseconds that a piece of work takes: the median of several runs, each prepared first. */
function time(times, work, prepare) {
  const taken = []
  for (let i = 0; i < times; i++) {
    prepare?.()
    const start = performance.now()
    work()
    taken.push(performance.now() - start)
  }
  return taken.sort((a, b) => a - b)[times >> 1]
}

const sizeOf = (path) =>
  statSync(path).isDirectory()
    ? readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0)
    : statSync(path).size

const tree = join(temp, 'tree')
cpSync(corpus, tree, { recursive: true })
run('chmod', ['-R', 'u+w', tree])
const git = (...args) =>
  run('git', ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost', ...args], tree)
const clean = (path) => rmSync(path, { recursive: true, force: true })

const gitImport = time(
  3,
  () => {
    git('init', '-q')
    git('add', '-A')
    git('commit', '-qm', 'all')
  },
  () => clean(join(tree, '.git')),
)
git('gc', '-q', '--aggressive', '--prune=now')
const gitSize = sizeOf(join(tree, '.git/objects'))
const gitAgain = time(5, () => git('add', '-A'))
const ours = time(
  3,
  () => sess('import', corpus, '--all', '--json'),
  () => clean(join(temp, 'store')),
)
const size = sizeOf(join(temp, 'store'))
const again = time(5, () => sess('import', corpus, '--all', '--json'))
const { id } = JSON.parse(sess('ls', '--json').toString().split('\n')[0])
const log = time(11, () => sess('log', id, '-n', '5', '--json'))
const node = time(11, () => run(process.execPath, ['-e', '0']))

const ms = (value) => `${value.toFixed(0)} ms`
const mb = (value) => `${(value / 1e6).toFixed(2)} MB`
const rows = [
  ['first import of the folder', ms(ours), 'git init, add, commit', ms(gitImport), ours / gitImport],
  ['import again, nothing changed', ms(again), 'git add -A', ms(gitAgain), again / gitAgain],
  ['size after import', mb(size), 'git after gc --aggressive', mb(gitSize), size / gitSize],
  ['log -n 5', ms(log), 'node -e 0', ms(node), log / node],
]
const table = [
  '| what | sess | against | it takes | ratio |',
  '|---|---|---|---|---|',
  ...rows.map(
    ([what, a, against, b, ratio]) => `| ${what} | ${a} | ${against} | ${b} | ${ratio.toFixed(2)} |`,
  ),
].join('\n')
console.log(table)
if (words.includes('--write')) {
  const bytes = mb(sizeOf(corpus))
  writeFileSync(
    join(root, 'docs/benchmarks.md'),
    `# Benchmarks\n\nWritten by \`npm run bench -- --write\` on ${new Date().toISOString().slice(0, 10)}: Node ${process.versions.node}, ${cpus().length} cores, a folder of ${bytes} of transcripts of many agents.\nMedians of 3 to 11 runs, both sides in one run on the same machine; only the ratios mean something.\n\n${table}\n`,
  )
}
