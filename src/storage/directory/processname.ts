import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** Returns whether a process runs, by its number on this machine or in this container. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
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

/** FNV-1a: to load `node:crypto` before LevelDB opens costs each command 2 ms. */
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

/** Returns whether a process runs, by its name in the name of a file; undefined for a process of another namespace. */
export function isRunning(name: string): boolean | undefined {
  const [pid, by] = name.split('-')
  return by === namespaceName() ? isAlive(Number(pid)) : undefined
}
