import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FileBundle } from './bundle.ts'
import { kindOf, kindWithin, namesIn, type OnLink } from './files.ts'

/** The main file of a session of OpenCode before 2026: `storage/session/<project>/<session>.json`. */
const SESSION = /^(.*)[\\/]session[\\/][^\\/]+[\\/]([^\\/]+)\.json$/
const MEMBER = /^(.*)[\\/](?:message|part|session_diff|todo)[\\/](?:[^\\/]+[\\/])?[^\\/]+\.json$/
/** Folders with one further file per session. */
const SESSION_FILES = ['session_diff', 'todo'] as const

/**
 * The folders in which OpenCode before 2026 kept sessions as separate files. Caches what it finds. Symbolic links in them
 * are not followed.
 */
export class OpenCodeStorage {
  readonly #roots = new Map<string, boolean>()
  readonly #ungrouped = new Map<string, ReadonlyMap<string, readonly string[]>>()

  /** Returns the session whose main file has a path, or undefined. */
  session(path: string): FileBundle | undefined {
    const [, root, stem] = SESSION.exec(path) ?? []
    if (root === undefined || stem === undefined || !this.#isRoot(root)) return undefined
    const own = path.slice(root.length + 1).replaceAll('\\', '/')
    return {
      path: `${root}#${stem}`,
      name: `${stem}.json`,
      root,
      files: (onLink) => this.#files(root, own, onLink),
    }
  }

  /** Returns whether a file belongs to some session. */
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

  #files(root: string, own: string, onLink?: OnLink): string[] {
    const session = idIn(join(root, own))
    const files = [own]
    for (const message of jsonIn(root, `message/${session}`, onLink)) {
      files.push(message, ...this.#partsOf(root, message, onLink))
    }
    const sessionFiles = SESSION_FILES.map((folder) => `${folder}/${session}.json`)
    return [...files, ...sessionFiles.filter((file) => kindWithin(root, file, onLink) === 'file')]
  }

  /** Returns the parts of a message. They are in a folder with its id, which usually is its file name too. */
  #partsOf(root: string, message: string, onLink?: OnLink): readonly string[] {
    const stem = stemOf(message)
    const near = jsonIn(root, `part/${stem}`, onLink)
    if (near.length > 0) return near
    const id = idIn(join(root, message))
    const far = id === stem ? [] : jsonIn(root, `part/${id}`, onLink)
    return far.length > 0 ? far : (this.#ungroupedIn(root).get(id) ?? [])
  }

  /** Returns the parts that are not in the folder of a message, by message id. */
  #ungroupedIn(root: string): ReadonlyMap<string, readonly string[]> {
    const known = this.#ungrouped.get(root)
    if (known) return known
    const ungrouped = new Map<string, string[]>()
    for (const file of jsonIn(root, 'part')) {
      const message = textIn(join(root, file), 'messageID')
      if (message === undefined) continue
      const files = ungrouped.get(message)
      if (files) files.push(file)
      else ungrouped.set(message, [file])
    }
    this.#ungrouped.set(root, ungrouped)
    return ungrouped
  }
}

const stemOf = (file: string): string => file.slice(file.lastIndexOf('/') + 1, -'.json'.length)

/** Returns the JSON files in a folder, sorted by name. Returns none where the folder is missing or its name is not plain. */
function jsonIn(root: string, folder: string, onLink?: OnLink): string[] {
  if (!/^[\w-]+(?:\/[\w.-]+)?$/.test(folder) || folder.includes('..')) return []
  if (kindWithin(root, folder, onLink) !== 'folder') return []
  return namesIn(join(root, folder), onLink)
    .filter((name) => name.endsWith('.json'))
    .map((name) => `${folder}/${name}`)
}

/** Returns the id in a file, else its name without the extension. */
const idIn = (path: string): string => textIn(path, 'id') ?? stemOf(path.replaceAll('\\', '/'))

/** Returns a string field of the object in a JSON file; undefined where it is missing or the file is damaged. */
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
