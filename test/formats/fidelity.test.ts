import { expect, it } from 'vitest'
import type { LossCode } from '../../src/formats/core/losses.ts'
import type { FormatWriter } from '../../src/formats/core/writer.ts'
import { FORMATS } from '../../src/formats/registry.ts'
import { isObject, type Json } from '../../src/model/json.ts'
import { SHAPES } from '../../src/ops/export/shapes.ts'
import { type DraftInput, drafted, writtenBy } from '../support/draft.ts'

const HEAD = `# What each format carries

Each page says for which version of its agent it was written, or in which month where files name none. An import counts
the record types and fields that the declaration of the format does not name, at each place that it looks into.
The counts are in the head of the log: \`sess formats\` lists them
([import.md](../import.md#what-is-not-understood)).

## Read
Made from the declarations of the formats by \`test/formats/fidelity.test.ts\` (\`-u\` writes it again). An oid covers these
fields of a record, \`*\` all of it; everything else is kept in the record and comes back byte for byte.

| format | kinds of entries | fields |
|---|---|---|
`

const MIDDLE = `
## Written
The fields of each record and of the objects in it, and the losses ([codes](../export.md)), of a session that has
everything.

| format | fields | losses |
|---|---|---|
`

/** Returns the keys that lead to all of some fields. */
function sharedStart(paths: readonly (readonly string[])[]): readonly string[] {
  const [first = []] = paths
  let length = 0
  while (length < first.length - 1 && paths.every((path) => path[length] === first[length])) length++
  return first.slice(0, length)
}

/** Returns the fields of all kinds of a format. */
function fieldsOf(kinds: ReadonlyMap<string, readonly string[]>): string {
  return grouped([...kinds.values()].flat().map((path) => path.replaceAll('[]', '').split('.')))
}

/** Returns paths of keys: those of an object in one word, the same ones of another not again. */
function grouped(paths: readonly (readonly string[])[]): string {
  const start = sharedStart(paths)
  const objects = new Map<string, Set<string>>()
  for (const path of paths) {
    const [top = '', below] = path.slice(start.length)
    const names = objects.get(top) ?? new Set()
    objects.set(top, names)
    if (below !== undefined) names.add(below)
  }
  const own = [...objects].flatMap(([top, names]) => (names.size === 0 ? [top] : []))
  const seen = new Map<string, string>()
  const inner = [...objects].flatMap(([top, names]) => {
    const below = [...names].join(',')
    const same = seen.get(below)
    seen.set(below, same ?? top)
    return names.size === 0
      ? []
      : [`${[...start, top].join('.')}.{${same === undefined ? below : `as_${same}`}}`]
  })
  const named =
    own.length > 0 && start.length > 0 ? [`${start.join('.')}.{${own.join(',')}}`] : [own.join(',')]
  return [...(own.length > 0 ? named : []), ...inner].map((one) => `\`${one}\``).join(' ')
}

const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } }
const call = (id: string): Json => ({ type: 'toolCall', id, name: 'bash', arguments: { command: 'ls' } })
const result = (id: string): Json => ({ type: 'toolResult', toolCallId: id, content: 'a.txt' })

/** A session with everything that one can hold. */
const SESSION: readonly DraftInput[] = [
  { role: 'system', content: 'Be brief.' },
  { type: 'sess/model_change', body: { provider: 'anthropic', model: 'opus' } },
  { type: 'sess/thinking_level_change', body: { level: 'high' } },
  { role: 'user', content: [{ type: 'text', text: 'What is here?' }, image] },
  { role: 'assistant', content: [{ type: 'thinking', thinking: 'Look.' }, call('a')] },
  { role: 'tool', content: [result('a')] },
  { type: 'sess/edit', body: { replacement: 'One file.' }, links: { target: 5 } },
  { type: 'sess/branch_summary', body: { summary: 'Tried another way.' } },
  { role: 'tool', content: [result('never-called')] },
  { role: 'assistant', content: [call('never-answered')] },
  { type: 'sess/compaction', body: { summary: 'One file is here.' }, links: { firstKept: 9 } },
  { type: 'sess/agent_action', body: { action: 'spawn', agentId: 'x' } },
  { role: 'user', content: 'Thanks.' },
]

/** Returns the fields of written records, and of the objects in them, as paths of keys. */
function writtenFields(text: string): string {
  const values = isJson(text)
    ? [JSON.parse(text) as Json]
    : text
        .trimEnd()
        .split('\n')
        .filter(isJson)
        .map((line) => JSON.parse(line) as Json)
  const paths = new Map<string, readonly string[]>()
  const collect = (value: Json, path: readonly string[]): void => {
    if (Array.isArray(value)) for (const item of value as readonly Json[]) collect(item, path)
    else if (isObject(value) && path.length < 2)
      for (const [key, inner] of Object.entries(value)) collect(inner, [...path, key])
    else paths.set(path.join('.'), path)
  }
  for (const value of values) collect(value, [])
  return paths.size === 0 ? 'text' : grouped([...paths.values()])
}

const isJson = (text: string): boolean => {
  try {
    return isObject(JSON.parse(text) as Json)
  } catch {
    return false
  }
}

async function written(
  writer: FormatWriter,
): Promise<{ readonly fields: string; readonly losses: readonly LossCode[] }> {
  const about = { title: 'Files', labels: new Map([['good', 3]]), branches: new Map([['other', 4]]) }
  const { text, losses } = await writtenBy(writer, drafted(SESSION, about))
  const codes = losses.map(({ code }) => code)
  return {
    fields: writtenFields(text),
    losses: [...new Set(writer.branched ? codes : [...codes, 'branch' as const])].sort(),
  }
}

it('docs/formats/README.md agrees with the declarations of the formats', async () => {
  const read = rowsOf(
    FORMATS.map(({ load }) => load()).flatMap(({ name, fields }): [string, string][] =>
      fields && fields.size > 0 ? [[name, `${[...fields.keys()].join(' ')} | ${fieldsOf(fields)}`]] : [],
    ),
  )
  const rows: [string, string][] = []
  for (const { name, writer } of SHAPES) {
    const { fields, losses } = await written(writer)
    rows.push([name, `${fields} | ${losses.join(' ') || 'none'}`])
  }
  const page = [HEAD, ...read, MIDDLE, ...rowsOf(rows)].join('')
  expect(page.split(/\s+/).length).toBeLessThan(850)
  await expect(page).toMatchFileSnapshot('../../docs/formats/README.md')
})

/** Returns rows of a table, equal ones as one. */
function rowsOf(cells: readonly (readonly [name: string, content: string])[]): string[] {
  const names = new Map<string, string[]>()
  for (const [name, content] of cells) names.set(content, [...(names.get(content) ?? []), name])
  return [...names].map(([content, all]) => `| ${all.join(', ')} | ${content} |\n`)
}
