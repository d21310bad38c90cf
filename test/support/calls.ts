import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { Level } from 'level'

/** Called at each call that changes a file: it may look at the files as they are then, or throw. */
export interface At {
  readonly before?: (call: string) => void
  readonly behind?: (call: string) => void
  /** Between the parts of a call that changes several files, or one in several steps. */
  readonly amid?: (call: string) => void
  /** Before each call that reads a file or a folder, and before a database is opened; after one is closed. */
  readonly reading?: (call: string) => void
  /** Before each call of a database, which waits for it. */
  readonly wait?: (call: string) => Promise<void>
}

const { appendFileSync, copyFileSync, fsyncSync, linkSync, mkdirSync, mkdtempSync } = fs
const { lstatSync, openSync, readdirSync, readFileSync, readSync } = fs
const { renameSync, rmSync, statSync, writeFileSync } = fs
const { batch, clear, close, open, put } = Level.prototype as unknown as Readonly<Record<string, Call>>

type Call = (this: unknown, ...args: readonly unknown[]) => unknown

const nothing = (): void => undefined

/** Does some work, and something at each call of it that changes or reads a file of a folder, or a database. */
export async function atCalls<T>(
  dir: string,
  { before = nothing, behind = nothing, amid = nothing, reading = nothing, wait }: At,
  work: () => Promise<T>,
): Promise<T> {
  let isBusy = false
  const during = (look: (call: string) => void, call: string): void => {
    if (isBusy) return
    isBusy = true
    try {
      look(call)
    } finally {
      isBusy = false
    }
  }
  const isBelow = (path: unknown): boolean => !isBusy && typeof path === 'string' && path.startsWith(dir)
  const around =
    <A extends readonly unknown[], R>(name: string, call: (...args: A) => R, path = 0) =>
    (...args: A): R => {
      const isMeant = typeof args[path] === 'number' ? !isBusy : isBelow(args[path])
      if (!isMeant) return call(...args)
      const told = `${name} ${args[path] as string}`
      during(before, told)
      const result = call(...args)
      during(behind, told)
      return result
    }
  const readingOf =
    <A extends readonly unknown[], R>(name: string, call: (...args: A) => R) =>
    (...args: A): R => {
      if (typeof args[0] === 'number' ? !isBusy : isBelow(args[0]))
        during(reading, `${name} ${String(args[0])}`)
      return call(...args)
    }
  const restore = replaced({
    readFileSync: readingOf('read', readFileSync as (path: fs.PathOrFileDescriptor) => unknown),
    readSync: readingOf('read', readSync as (file: number) => number),
    readdirSync: readingOf('list', readdirSync as (path: string) => unknown),
    statSync: readingOf('stat', statSync as (path: string) => unknown),
    lstatSync: readingOf('lstat', lstatSync as (path: string) => unknown),
    fsyncSync: around('fsync', fsyncSync),
    linkSync: around('link', linkSync, 1),
    copyFileSync: around('copy', copyFileSync, 1),
    mkdirSync: around('mkdir', mkdirSync as (path: string, options: fs.MakeDirectoryOptions) => unknown),
    mkdtempSync: around('mkdtemp', mkdtempSync as (prefix: string) => string),
    renameSync: around('rename', renameSync, 1),
    openSync: (path: string, flags: string, ...rest: [fs.Mode?]) =>
      (flags === 'r' ? readingOf('open', openSync) : around('open', openSync))(path, flags, ...rest),
    writeFileSync: around('write', (path: fs.PathOrFileDescriptor, data: string, options: object) => {
      if (isBelow(path)) {
        writeFileSync(path, '', options)
        during(amid, `write ${path as string}`)
      }
      writeFileSync(path, data, options)
    }),
    appendFileSync: around('append', (path: fs.PathOrFileDescriptor, data: string, options: object) => {
      const half = data.length >> 1
      appendFileSync(path, data.slice(0, half), options)
      during(amid, `append ${path as string}`)
      appendFileSync(path, data.slice(half), options)
    }),
    rmSync: around('remove', (path: string, options: fs.RmOptions) => {
      if (isBelow(path) && statSync(path, { throwIfNoEntry: false })?.isDirectory())
        for (const name of readdirSync(path)) {
          rmSync(join(path, name), options)
          during(amid, `remove ${join(path, name)}`)
        }
      rmSync(path, options)
    }),
  })
  const names = { batch, clear, close, open, put }
  const awaited =
    (name: string, call: Call): Call =>
    async (...args) => {
      // A database opens by itself; letting go of it does not fail.
      const isEnd = name === 'close' || name === 'open'
      if (!isEnd) during(before, name)
      if (name === 'open') during(reading, name)
      // At once where it can: a database opens itself a moment after it is made, unless it is opened before.
      if (wait) await wait(name)
      const result: unknown = await call(...args)
      during(isEnd ? amid : behind, name)
      if (name === 'close') during(reading, name)
      return result
    }
  const told = Object.entries(names).map(([name, call]) => [
    name,
    function (this: unknown, ...args: readonly unknown[]) {
      const bound: Call = (...all) => Reflect.apply(call as Call, this, all)
      if (name !== 'batch' || args.length > 0) return awaited(name, bound)(...args)
      // Chunks are collected and written at the end.
      const gathered = bound() as { write: Call }
      const { write } = gathered
      gathered.write = awaited(name, (...all) => Reflect.apply(write, gathered, all))
      return gathered
    },
  ])
  Object.assign(Level.prototype, Object.fromEntries(told))
  try {
    return await work()
  } finally {
    restore()
    Object.assign(Level.prototype, names)
  }
}

/** Has functions of the file system done by others, and gives what puts them back. */
function replaced(functions: Readonly<Record<string, unknown>>): () => void {
  const before = Object.fromEntries(Object.keys(functions).map((name) => [name, Reflect.get(fs, name)]))
  const set = (to: Readonly<Record<string, unknown>>): void => {
    Object.assign(fs, to)
    syncBuiltinESMExports()
  }
  set(functions)
  return () => set(before)
}
