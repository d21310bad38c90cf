import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FileBundle } from './bundle.ts'
import { kindOf, namesIn } from './files.ts'

/** What holds a session of OpenCode before 2026 together: `storage/session/<project>/<session>.json`. */
const SESSION = /^(.*)[\\/]session[\\/][^\\/]+[\\/]([^\\/]+)\.json$/
const MEMBER = /^(.*)[\\/](?:message|part|session_diff|todo)[\\/](?:[^\\/]+[\\/])?[^\\/]+\.json$/
/** What is kept for a whole session besides. */
const BESIDES = ['session_diff', 'todo'] as const

/** The folders in which OpenCode kept sessions, each file on its own, before 2026. What was found there is remembered. */
export class OpenCodeStorage {
  readonly #roots = new Map<string, boolean>()
  readonly #loose = new Map<string, ReadonlyMap<string, readonly string[]>>()

  /** Gives the session whose own file a path is; undefined where it is none. */
  session(path: string): FileBundle | undefined {
    const [, root, stem] = SESSION.exec(path) ?? []
    if (root === undefined || stem === undefined || !this.#isRoot(root)) return undefined
    const own = path.slice(root.length + 1).replaceAll('\\', '/')
    return {
      path: `${root}#${stem}`,
      name: `${stem}.json`,
      root,
      files: () => this.#files(root, own),
    }
  }

  /** Tells whether a file is a part of some session. */
  holds(path: string): boolean {
    const root = MEMBER.exec(path)?.[1]
    return root !== undefined && this.#isRoot(root)
  }

  #isRoot(root: string): boolean {
    let is = this.#roots.get(root)
    if (is === undefined) {
      is = ['session', 'message'].every((folder) => kindOf(join(root, folder)) === 'folder')
      this.#roots.set(root, is)
    }
    return is
  }

  #files(root: string, own: string): string[] {
    const session = idIn(join(root, own))
    const files = [own]
    for (const message of jsonIn(root, `message/${session}`)) {
      files.push(message, ...this.#partsOf(root, message))
    }
    const besides = BESIDES.map((folder) => `${folder}/${session}.json`)
    return [...files, ...besides.filter((file) => kindOf(join(root, file)) === 'file')]
  }

  /** The parts of a message lie in a folder with its id, which mostly is its file's name. */
  #partsOf(root: string, message: string): readonly string[] {
    const stem = stemOf(message)
    const near = jsonIn(root, `part/${stem}`)
    if (near.length > 0) return near
    const id = idIn(join(root, message))
    const far = id === stem ? [] : jsonIn(root, `part/${id}`)
    return far.length > 0 ? far : (this.#looseIn(root).get(id) ?? [])
  }

  /** Gives by message the parts that lie in no folder of their own. */
  #looseIn(root: string): ReadonlyMap<string, readonly string[]> {
    const known = this.#loose.get(root)
    if (known) return known
    const loose = new Map<string, string[]>()
    for (const file of jsonIn(root, 'part')) {
      const message = textIn(join(root, file), 'messageID')
      if (message === undefined) continue
      const files = loose.get(message)
      if (files) files.push(file)
      else loose.set(message, [file])
    }
    this.#loose.set(root, loose)
    return loose
  }
}

const stemOf = (file: string): string => file.slice(file.lastIndexOf('/') + 1, -'.json'.length)

/** Gives the JSON files in a folder, by their names; none where it is none. A name that is no plain name has no place here. */
function jsonIn(root: string, folder: string): string[] {
  if (!/^[\w-]+(?:\/[\w.-]+)?$/.test(folder) || folder.includes('..')) return []
  const path = join(root, folder)
  if (kindOf(path) !== 'folder') return []
  return namesIn(path)
    .filter((name) => name.endsWith('.json'))
    .map((name) => `${folder}/${name}`)
}

/** Gives the id that a file says, else its name. */
const idIn = (path: string): string => textIn(path, 'id') ?? stemOf(path.replaceAll('\\', '/'))

/** Gives a text that the object in a file has under a key; undefined where it has none, or is damaged. */
function textIn(path: string, key: string): string | undefined {
  let value: unknown
  try {
    value = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
  const text = (value as Record<string, unknown> | null)?.[key]
  return typeof text === 'string' ? text : undefined
}
