import { createHash } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** Tells whether a process is there, by its number on this machine or in this container. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** What tells apart where numbers of processes are given, as far as a system has it. */
const SIGNS: readonly (() => string)[] = [
  hostname,
  () => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1'),
  () => readlinkSync('/proc/self/ns/pid'),
]

let numbering: string | undefined

/** Gives 8 hex digits for where this process has its number: two containers with one store on a volume give the same ones to others. */
function numberedBy(): string {
  const signs = (): string => SIGNS.map(told).join('\n')
  return (numbering ??= createHash('sha256').update(signs()).digest('hex').slice(0, 8))
}

function told(read: () => string): string {
  try {
    return read()
  } catch {
    return '' // a system without it has one numbering
  }
}

/** Names this process in names of files, so that others tell whether it still is there. */
export const ownName = (): string => `${process.pid}-${numberedBy()}`

/** Tells of a process that is named in the name of a file whether it is there; undefined where that cannot be told from here. */
export function isThere(name: string): boolean | undefined {
  const [pid, by] = name.split('-')
  return by === numberedBy() ? isAlive(Number(pid)) : undefined
}
