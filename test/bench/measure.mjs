// How the benchmarks measure: medians of runs that alternate between the two sides, each in a process of its own where
// memory counts.
import { execFileSync, spawn } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const worker = fileURLToPath(new URL('work/run.mjs', import.meta.url))

/** Returns the middle one of some numbers. */
export const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]

/** Returns the milliseconds that some work takes. */
export function timed(work) {
  const start = performance.now()
  work()
  return performance.now() - start
}

/**
 * Measures two sides so many times in turns, so that what else the machine does hits both, and gives the median of
 * each. A side gives its own figure.
 */
export function inTurns(times, sess, peer) {
  const ours = []
  const theirs = []
  for (let i = 0; i < times; i++) {
    ours.push(sess(i))
    theirs.push(peer(i))
  }
  return { sess: median(ours), peer: median(theirs) }
}

/** Blocks for so many milliseconds. */
export const pause = (milliseconds) => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}

/** Returns the bytes of a file, or of all files of a folder; LevelDB removes tables meanwhile. */
export function sizeOf(path) {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat?.isDirectory()) return stat?.size ?? 0
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(`${path}/${name}`), 0)
}

/** Returns the paths of all files in a folder and below it, in their order. */
export const filesIn = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map(({ parentPath, name }) => `${parentPath}/${name}`)
    .toSorted()

/**
 * Calls an exported function of a module of `work/` in a process of its own, and gives what it gives and `peak`, the
 * bytes of memory that the process had resident at most.
 */
export function inProcess(env, module, name, input = {}) {
  const out = execFileSync(process.execPath, [worker, module, name, JSON.stringify(input)], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 64 << 20,
  })
  return JSON.parse(out.toString())
}

/** Begins to call a function in a process of its own that ends when it is killed. */
export const besideProcess = (env, module, name, input) =>
  spawn(process.execPath, [worker, module, name, JSON.stringify(input)], { env, stdio: 'ignore' })
