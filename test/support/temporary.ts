import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The file system in memory that Linux has. */
const MEMORY = '/dev/shm'

/** The bytes that must be free there and in memory: the whole run leaves most of them free. */
const ROOM = 6 * 2 ** 30

/** The number of the process in the name of its folder, in as few characters as can be: paths of sockets are short. */
const NAME = /^sess-t([0-9a-z]+)$/
const BASE = 36

/**
 * Puts the temporary folders of all tests into memory where there is room, and returns what removes them again. A run makes
 * and removes thousands of stores, and each write of theirs would wait for the disk. No test depends on it: elsewhere, and
 * where the caller names a folder, the folder of the system is used.
 */
export function setup(): (() => void) | undefined {
  if (process.env.TMPDIR !== undefined || !hasRoom()) return undefined
  removeLeft()
  const dir = join(MEMORY, `sess-t${process.pid.toString(BASE)}`)
  try {
    // Some tests are of another user, who must get to what is theirs.
    mkdirSync(dir, { mode: 0o711 })
  } catch {
    return undefined // left by a run that was killed today
  }
  const remove = (): void => rmSync(dir, { recursive: true, force: true })
  if (!runsPrograms(dir)) {
    remove()
    return undefined
  }
  process.env.TMPDIR = dir
  return remove
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return Math.min(bavail * bsize, process.availableMemory()) >= ROOM
  } catch {
    return false // another system than Linux
  }
}

/** Containers may forbid it. */
function runsPrograms(dir: string): boolean {
  const path = join(dir, 'program')
  writeFileSync(path, '#!/bin/sh\n', { mode: 0o700 })
  const { status } = spawnSync(path)
  rmSync(path)
  return status === 0
}

/** Milliseconds after which the folder of a process that is not there is left: it may be one of another container. */
const LEFT = 24 * 3600_000

/** Removes the folders of runs that were killed. */
function removeLeft(): void {
  for (const name of readdirSync(MEMORY)) {
    const [, pid] = NAME.exec(name) ?? []
    if (pid === undefined || isAlive(Number.parseInt(pid, BASE))) continue
    const path = join(MEMORY, name)
    const { mtimeMs = Number.POSITIVE_INFINITY } = statSync(path, { throwIfNoEntry: false }) ?? {}
    if (Date.now() - mtimeMs > LEFT) rmSync(path, { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
