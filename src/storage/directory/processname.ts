import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/**
 * Returns whether a process runs, by its number on this machine or in this container. A zombie does not: it has no files
 * and no locks any more, and in a container it may stay for as long as that runs.
 */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false
  }
  return stateOf(pid) !== 'Z'
}

/** Returns the state of a process as Linux names it: T and t if it is stopped, Z if it is a zombie; '' elsewhere. */
function stateOf(pid: number): string {
  const stat = readOrNothing(() => readFileSync(`/proc/${pid}/stat`, 'latin1'))
  // After the name of its program, which is in parentheses and may contain some.
  return stat.charAt(stat.lastIndexOf(')') + 2)
}

/** The parts of the name of a process namespace, as far as a system has them. */
const NAMESPACE_PARTS: readonly (() => string)[] = [
  hostname,
  () => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1'),
  () => readlinkSync('/proc/self/ns/pid'),
]

let namespace: string | undefined

/**
 * Returns 8 hex digits that name the namespace of this process's number: two containers with one volume both have a
 * process 1.
 */
function namespaceName(): string {
  return (namespace ??= hex8(hash32(NAMESPACE_PARTS.map(readOrNothing).join('\n'))))
}

/** Returns a number as 8 hex digits. */
export const hex8 = (number: number): string => (number >>> 0).toString(16).padStart(8, '0')

/** FNV-1a: loading `node:crypto` before LevelDB opens delays each command. */
function hash32(text: string): number {
  let sum = 0x811c9dc5
  for (let i = 0; i < text.length; i++) sum = Math.imul(sum ^ text.charCodeAt(i), 0x01000193)
  return sum
}

function readOrNothing(read: () => string): string {
  try {
    return read()
  } catch {
    return '' // a system without it has one namespace
  }
}

/** Returns the name of this process for names of files, by which other processes can find out whether it still runs. */
export const processName = (): string => `${process.pid}-${namespaceName()}`

/**
 * Returns the end of the name of a temporary file of this process, different at each call. It does not come from
 * `node:crypto`, which delays each command: files of these names are created only where nothing has the name.
 */
export const temporaryEnd = (): string => `${processName()}.${hex8(Math.random() * 2 ** 32)}.new`

/** Returns whether a process runs, by its name in the name of a file; undefined for a process of another namespace. */
export function isRunning(name: string): boolean | undefined {
  const [pid, by] = name.split('-')
  return by === namespaceName() ? isAlive(Number(pid)) : undefined
}

/** Returns whether a process is known to be stopped, by its name in the name of a file. */
export const isStopped = (name: string): boolean =>
  isRunning(name) === true && /^t$/i.test(stateOf(Number.parseInt(name, 10)))
