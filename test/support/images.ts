import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { Level } from 'level'
import { newFolder } from './folder.ts'

/** A folder as a process leaves it that is killed at a step of its work. */
export interface Image {
  readonly dir: string
  /** Behind which call, or in the midst of which. */
  readonly step: string
  /** How far the work had been acknowledged. */
  readonly acknowledged: number
}

/** No process has so large a number. */
const DEAD = 2 ** 22 + 1

const { appendFileSync, copyFileSync, cpSync, fsyncSync, linkSync, mkdirSync } = fs
const { readdirSync, renameSync, rmSync, statSync, writeFileSync } = fs
const { batch, clear, close, open } = Level.prototype as unknown as Readonly<Record<string, Call>>

type Call = (this: unknown, ...args: readonly unknown[]) => unknown

/**
 * Does some work and gives images of a folder: before and behind each call of it that changes a file, and in the midst of
 * those that write or remove several things. Work says how far it is acknowledged.
 */
export async function imagesOf(
  dir: string,
  work: (acknowledge: (so: number) => void) => Promise<unknown>,
): Promise<Image[]> {
  const root = newFolder()
  const images: Image[] = []
  let acknowledged = 0
  let isTaking = false
  const take = (step: string): void => {
    if (isTaking) return
    isTaking = true
    try {
      const image = join(root, `${images.length}`)
      copyOf(dir, image)
      images.push({ dir: image, step, acknowledged })
    } finally {
      isTaking = false
    }
  }
  const isBelow = (path: unknown): boolean => !isTaking && typeof path === 'string' && path.startsWith(dir)
  const restore = replaced({
    fsyncSync: told(fsyncSync, () => take('fsync')),
    linkSync: told(linkSync, (_, to) => isBelow(to) && take(`link ${to as string}`)),
    copyFileSync: told(copyFileSync, (_, to) => isBelow(to) && take(`copy ${to as string}`)),
    mkdirSync: told(mkdirSync, (path) => isBelow(path) && take(`mkdir ${path as string}`)),
    renameSync: told(renameSync, (_, to) => isBelow(to) && take(`rename ${to as string}`)),
    writeFileSync: (path: fs.PathOrFileDescriptor, data: string, ...rest: [fs.WriteFileOptions?]) => {
      // Opened, and not yet written.
      if (isBelow(path)) {
        writeFileSync(path, '', ...rest)
        take(`begin to write ${path as string}`)
      }
      writeFileSync(path, data, ...rest)
      if (isBelow(path)) take(`write ${path as string}`)
    },
    appendFileSync: (path: fs.PathOrFileDescriptor, data: string, ...rest: [fs.WriteFileOptions?]) => {
      const half = data.length >> 1
      appendFileSync(path, data.slice(0, half), ...rest)
      take('append a half')
      appendFileSync(path, data.slice(half), ...rest)
      take('append')
    },
    rmSync: (path: string, options: fs.RmOptions) => {
      if (isBelow(path) && statSync(path, { throwIfNoEntry: false })?.isDirectory())
        for (const name of readdirSync(path)) {
          rmSync(join(path, name), options)
          take(`remove ${join(path, name)}`)
        }
      rmSync(path, options)
      if (isBelow(path)) take(`remove ${path}`)
    },
  })
  const around = (name: string, call: Call | undefined): Call =>
    async function (this: unknown, ...args) {
      take(`before ${name}`)
      const result = await Reflect.apply(call as Call, this, args)
      take(name)
      return result
    }
  const names = { batch, clear, close, open }
  Object.assign(
    Level.prototype,
    Object.fromEntries(Object.entries(names).map(([name, call]) => [name, around(name, call)])),
  )
  try {
    await work((so) => {
      acknowledged = so
    })
    take('the end')
  } finally {
    restore()
    Object.assign(Level.prototype, names)
  }
  return images
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

const told =
  <A extends readonly unknown[], R>(call: (...args: A) => R, tell: (...args: A) => unknown) =>
  (...args: A): R => {
    const result = call(...args)
    tell(...args)
    return result
  }

/** Copies a folder that a database may change meanwhile, as of a process that is dead. */
function copyOf(from: string, to: string): void {
  for (;;) {
    try {
      cpSync(from, to, { recursive: true, filter: (path) => !path.endsWith('.sock') })
      break
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      rmSync(to, { recursive: true, force: true })
    }
  }
  const own = new RegExp(`\\.${process.pid}(?=\\.|$|-)`)
  for (const folder of [...readdirSync(to).map((name) => join(to, name)), to])
    if (statSync(folder).isDirectory())
      for (const name of readdirSync(folder))
        if (own.test(name)) renameSync(join(folder, name), join(folder, name.replace(own, `.${DEAD}`)))
}
