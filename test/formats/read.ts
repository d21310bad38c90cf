import { expect } from 'vitest'
import type { Format, FormatReader, Reading, RecordIndex } from '../../src/formats/core/format.ts'
import { isObject, type Json, jsonText } from '../../src/model/json.ts'
import type { Block } from '../../src/model/view.ts'
import { beginReading, readInTurns, readUnits } from './savedreader.ts'

/** A session file as its format read it. */
export interface Read {
  readonly readings: readonly Reading[]
  readonly reader: FormatReader
}

/** The longest text that is also read by replaced readers: saving a state after each line takes quadratic time. */
const MAX_REPLACED_BYTES = 65_536

/**
 * Reads the text of a session file. Of a text of up to `MAX_REPLACED_BYTES`, expects that readers which are replaced after
 * each line by new ones with their state read the same.
 */
export function readText(format: Format, text: string, name = 'session.jsonl'): Read {
  const bytes = new TextEncoder().encode(text)
  if (bytes.length <= MAX_REPLACED_BYTES) {
    const steps = readUnits(beginReading(format, [name]), bytes, { ends: true })
    expect(readInTurns(format, [name], bytes).steps).toEqual(steps)
  }
  const { splitter, reader } = beginReading(format, [name])
  const units = [...splitter.push(bytes), ...splitter.end().units]
  return { readings: units.map((unit) => reader.read(unit)), reader }
}

/** Returns whether a format takes a file with these lines. */
export const takes = (format: Format, name: string, text: string, folder?: string): boolean => {
  const lines = text.split('\n').flatMap((line) => {
    try {
      const value = JSON.parse(line) as Json
      return isObject(value) ? [value] : []
    } catch {
      return [] // what is no JSON is no line of a sample
    }
  })
  const place = folder === undefined ? {} : { folder }
  return format.detect({ name, ...place, head: new TextEncoder().encode(text), lines, whole: true })
}

/** Returns of each record that carries an entry its type and its parent. */
export const chain = ({ readings }: Read): readonly (readonly [RecordIndex, string, RecordIndex | null])[] =>
  readings.flatMap(({ entry }, at) => (entry ? [[at, entry.type, entry.parent] as const] : []))

/** Returns the warnings of a session in order. */
export const warnings = ({ readings }: Read): readonly string[] =>
  readings.flatMap((reading) => (reading.warnings ?? []).map(({ code }) => code))

/** Returns each entry of a session as a line: its handle and parent, its role, its blocks and what it sets. */
export const entriesAsText = (format: Format, { readings }: Read): string =>
  readings
    .flatMap(({ entry }, at) => {
      if (!entry) return []
      const { role, blocks, ...more } = format.view(entry.type.slice(entry.type.indexOf('/') + 1), entry.body)
      const rest = Object.keys(more).length > 0 ? [jsonText(more as Json)] : []
      return [[`${entry.parent ?? '-'}>${at}`, role ?? '-', ...blocks.map(blockAsText), ...rest].join(' ')]
    })
    .join('\n')

function blockAsText(block: Block): string {
  switch (block.kind) {
    case 'toolCall':
      return `[call ${block.id} ${block.name} ${jsonText(block.input)}]`
    case 'toolResult':
      return `[${block.error ? 'error' : 'result'} ${block.id} ${block.text}]`
    case 'image':
      return `[image ${block.mediaType}]`
    default:
      return `[${block.kind} ${block.text}]`
  }
}
