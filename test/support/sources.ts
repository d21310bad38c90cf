import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CORPUS, corpusFiles } from './corpus.ts'

/** A piece of a transcript to do something to. */
export interface Sample {
  readonly name: string
  readonly bytes: Buffer
}

const MOST_LINES = 30
const MOST_BYTES = 40_000
const WINDOWS = 4

const here = fileURLToPath(new URL('..', import.meta.url))

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()

/** Returns some consecutive lines, but for very long ones. */
function window(lines: readonly Buffer[], from: number): Buffer {
  const taken: Buffer[] = []
  let bytes = 0
  for (const line of lines.slice(from)) {
    if (line.length > MOST_BYTES / 4) continue
    bytes += line.length
    if (taken.length === MOST_LINES || bytes > MOST_BYTES) break
    taken.push(line)
  }
  return Buffer.concat(taken)
}

function samplesOf(path: string): Sample[] {
  const bytes = readFileSync(path)
  const name = basename(path)
  if (!name.endsWith('.jsonl')) return bytes.length <= MOST_BYTES ? [{ name, bytes }] : []
  const lines = bytes
    .toString('latin1')
    .split(/(?<=\n)/)
    .map((line) => Buffer.from(line, 'latin1'))
  const starts = new Set(
    Array.from({ length: WINDOWS }, (_, i) =>
      Math.floor((i * Math.max(0, lines.length - MOST_LINES)) / (WINDOWS - 1)),
    ),
  )
  return [...starts].map((start) => ({ name, bytes: window(lines, start) })).filter((s) => s.bytes.length > 0)
}

/** Returns small pieces of real transcripts where there are any, and of those that the project ships. */
export const samples = (): Sample[] =>
  [
    ...filesIn(join(here, 'fixtures')),
    ...filesIn(join(here, 'demo/sessions')),
    ...corpusFiles().map((file) => join(CORPUS, file)),
  ].flatMap(samplesOf)
