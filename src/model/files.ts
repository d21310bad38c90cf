import { isObject, type Json, plain } from './json.ts'
import type { Block } from './view.ts'

/** A file that a tool call names, and what it does to it. */
export interface FileDeed {
  readonly path: string
  readonly does: 'read' | 'change'
}

/** The arguments that name a file, in the words of the agents. */
const PATHS = ['path', 'file_path', 'filePath', 'absolute_path', 'notebook_path', 'filename'] as const

const CHANGES = /write|edit|replace|create|patch|insert|delete/i
const READS = /^(?:read|view|open|cat)(?:_?file|_?many_?files)?$|notebook_?read|readfile/i

/** How codex and others say within a patch which files it is for. */
const PATCHED = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm

/**
 * Gives the files that a tool call reads or changes, by its tool's name and its arguments: those of tools that read
 * and edit files, and of patches, also where a shell applies them. What other commands of a shell do is not known.
 */
export function filesOf({ name, input }: Extract<Block, { kind: 'toolCall' }>): FileDeed[] {
  const value = plain(input)
  const patched = textsIn(value).flatMap((text) =>
    text.includes('*** Begin Patch') ? [...text.matchAll(PATCHED)].map(([, path = '']) => path.trim()) : [],
  )
  if (patched.length > 0) return patched.map((path) => ({ path, does: 'change' }))
  const does = CHANGES.test(name) ? 'change' : READS.test(name) ? 'read' : undefined
  if (does === undefined || !isObject(value)) return []
  const path = PATHS.map((key) => value[key]).find((text) => typeof text === 'string' && text !== '')
  return typeof path === 'string' ? [{ path, does }] : []
}

/** Gives the texts among a call's arguments: a patch stands alone, under a name, or in a list of words. */
function textsIn(value: Json): string[] {
  if (typeof value === 'string') return [value]
  const parts = Array.isArray(value)
    ? (value as readonly Json[])
    : isObject(value)
      ? Object.values(value)
      : []
  return parts.flatMap((part) =>
    typeof part === 'string'
      ? [part]
      : Array.isArray(part)
        ? (part as readonly Json[]).filter((word) => typeof word === 'string')
        : [],
  )
}
