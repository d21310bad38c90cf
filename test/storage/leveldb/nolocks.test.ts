import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { built, script } from '../../support/built.ts'
import { newFolder } from '../../support/folder.ts'
import { openRepo } from '../../support/store.ts'

/** Answers requests for locks with LOCKS: 0 as if they were granted, else with that error. */
const SHIM = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
static int answer(const char *name, int fd, int command, void *argument) {
  const char *error = getenv("LOCKS");
  if (error && (command == F_SETLK || command == F_SETLKW)) {
    errno = atoi(error);
    return errno ? -1 : 0;
  }
  int (*real)(int, int, ...) = dlsym(RTLD_NEXT, name);
  return real(fd, command, argument);
}
#define SHIM(name) int name(int fd, int command, ...) { \\
  va_list list; va_start(list, command); void *argument = va_arg(list, void *); va_end(list); \\
  return answer(#name, fd, command, argument); }
SHIM(fcntl)
SHIM(fcntl64)
`

const ENOLCK = '37'
const COMPILER = 'cc'
const build = built()

const hasCompiler = process.platform === 'linux' && spawnSync(COMPILER, ['--version']).status === 0

function shimmed(): string {
  const folder = newFolder()
  const [source, library] = [join(folder, 'shim.c'), join(folder, 'shim.so')]
  writeFileSync(source, SHIM)
  execFileSync(COMPILER, ['-shared', '-fPIC', '-o', library, source, '-ldl'])
  return library
}

interface Holding {
  readonly child: ChildProcess
  readonly said: () => string
  readonly closed: Promise<unknown>
}

/** Begins to hold a store's database on a file system that answers requests for locks as told. */
function hold(dir: string, locks: string, lockTimeout = 10_000): Holding {
  const env = { ...process.env, LD_PRELOAD: shimmed(), LOCKS: locks, LOCK_TIMEOUT: `${lockTimeout}` }
  const child = spawn(process.execPath, [script('hold.mjs'), build, dir], { env })
  onTestFinished(() => void child.kill('SIGKILL'))
  let text = ''
  const hear = (chunk: Buffer): void => {
    text += chunk.toString()
  }
  child.stdout.on('data', hear)
  child.stderr.on('data', hear)
  return { child, said: () => text, closed: once(child, 'close') }
}

describe.runIf(hasCompiler)('on a file system whose locks', () => {
  it('do nothing, one process at a time has the database', async () => {
    const { dir, ...repo } = await openRepo()
    expect(repo.identity.id).toHaveLength(32)
    const first = hold(dir, '0')
    await expect.poll(first.said).toBe('held\n')
    const refused = hold(dir, '0', 100)
    await refused.closed
    expect(refused.said()).toContain('by process')
    const second = hold(dir, '0')
    first.child.stdin?.end()
    await first.closed
    await expect.poll(second.said).toBe('held\n')
    second.child.stdin?.end()
    await second.closed
    expect(readdirSync(join(dir, 'db.1')).filter((name) => name.startsWith('OWNER'))).toEqual([])
  })

  it('are missing, the store is refused and not taken for damaged', async () => {
    const { dir } = await openRepo()
    const refused = hold(dir, ENOLCK)
    await refused.closed
    expect(refused.said()).toContain('could not be written (its file system has no locks)')
  })
})
