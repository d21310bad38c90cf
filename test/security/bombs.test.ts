import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { openStore } from '../../src/index.ts'
import { compressedContent } from '../../src/sources/compressed.ts'
import { Scratch } from '../../src/sources/scratch.ts'
import { ALL, sampled } from '../support/amount.ts'
import { built, script } from '../support/built.ts'
import { expectFailure } from '../support/errors.ts'
import { newFolder } from '../support/folder.ts'

const fixtures = fileURLToPath(new URL('../fixtures', import.meta.url))

/** A file of each kind of each format: its lines, its documents, its texts. */
const FORMATS = readdirSync(fixtures).flatMap((format) => {
  const names = readdirSync(join(fixtures, format), { recursive: true, encoding: 'utf8' }).toSorted()
  const kinds = new Map(names.toReversed().map((name) => [extname(name), name]))
  kinds.delete('')
  return [...kinds.values()].map((name) => ({ format, name, path: join(fixtures, format, name) }))
})

/** Far more than calls can nest. */
const DEEP = ALL ? 1_000_000 : 200_000

/** Puts a piece of JSON into each object of a line, as its first field. */
const into = (line: string, piece: string): string => line.replaceAll(/\{(?=")/g, () => `{${piece},`)

/** The properties of every object. */
const PROTOTYPES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__']

/** The changes to the lines of a file. */
const CLASSES: Readonly<Record<string, (lines: readonly string[]) => readonly string[]>> = {
  'deep nesting': (lines) => [
    ...lines,
    `{"type":"user","message":${'['.repeat(DEEP)}${']'.repeat(DEEP)}}`,
    ...lines,
  ],
  'deep nesting that never ends': (lines) => [...lines, `{"a":${'{"a":'.repeat(DEEP)}`],
  'nesting in every object': (lines) =>
    lines.map((line) => into(line, `"deep":${'['.repeat(300)}${']'.repeat(300)}`)),
  'a huge key': (lines) => lines.map((line) => into(line, `"${'k'.repeat(100_000)}":1`)),
  'many keys': (lines) => [
    ...lines,
    `{"type":"user",${Array.from({ length: 5_000 }, (_, i) => `"k${i}":${i}`).join(',')}}`,
  ],
  'keys of prototypes': (lines) =>
    lines.map((line) =>
      into(
        line,
        '"__proto__":{"polluted":true,"role":"system"},"constructor":{"prototype":{"polluted":true}},"toString":1,"hasOwnProperty":0',
      ),
    ),
  'the same key again': (lines) =>
    lines.map((line) => into(line, '"type":"user","role":"user","id":"x","uuid":"x"')),
  'numbers of any size': (lines) =>
    lines.map((line) =>
      line
        .replaceAll(/:(\d+)(?=[,}])/g, ':1e999999')
        .replaceAll(/"(\d{4}-\d\d-\d\dT[\d:.]+Z)"/g, '-123456789012345678901234567890.0e-0001'),
    ),
  'numbers that no double holds': (lines) =>
    lines.map((line) =>
      into(
        line,
        `"n":[1e400,-1e400,1e-400,-0,-0.0,0e9,1E5,0.1000,123456789012345678901234567890,5e-324,${'9'.repeat(5000)}]`,
      ),
    ),
  'names of prototypes': (lines) =>
    lines.map((line, i) =>
      line.replaceAll(
        /"(\w*(?:id|Id|uuid|Uuid|name|title|Title|role|type|kind|model|cwd)\w*)":\s*"[^"]*"/g,
        (whole, key: string, at: number) =>
          (i + at) % 3 === 0 ? whole : `"${key}":"${PROTOTYPES[(i + at) % PROTOTYPES.length]}"`,
      ),
    ),
  'times that no date has': (lines) =>
    lines.map((line) => line.replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"+275760-09-13T00:00:00.001Z"')),
  cycles: (lines) =>
    lines.map((line) =>
      line
        .replaceAll(/"(\w*(?:[pP]arent|parent_id|previous)\w*)":\s*(?:null|"[^"]*")/g, '"$1":"a1"')
        .replaceAll(/"(uuid|id)":\s*"[^"]*"/g, '"$1":"a1"'),
    ),
  'everything a list': (lines) => lines.map((line) => line.replaceAll(/:("(?:[^"\\]|\\.)*")/g, ':[$1]')),
  'everything a text': (lines) => lines.map((line) => line.replaceAll(/:(\{|\[)/g, ':"x","y":$1')),
  'nothing but null': (lines) =>
    lines.map((line) => line.replaceAll(/:("(?:[^"\\]|\\.)*"|\d+|true|false)/g, ':null')),
  'hostile text everywhere': (lines) =>
    lines.map((line) =>
      line.replaceAll(/:"([^"\\]{3,})"/g, ':"$1\\u0000\\u001b]0;x\\u0007\\u202e\\ud800../../x"'),
    ),
  'long texts in names': (lines) =>
    lines.map((line) =>
      line.replaceAll(
        /"(title|name|aiTitle|customTitle|cwd|model|id)":"[^"]*"/g,
        `"$1":"${'t'.repeat(10_000)}"`,
      ),
    ),
}

describe.each(Object.keys(CLASSES))('%s', (name) => {
  const poison = CLASSES[name] as (lines: readonly string[]) => readonly string[]

  it('stops no reader, and comes back byte for byte', async () => {
    const dir = newFolder()
    const files = sampled(FORMATS, 2).map(({ format, name: from, path }) => {
      const file = join(dir, format, from)
      mkdirSync(dirname(file), { recursive: true })
      const bytes = poison(readFileSync(path, 'utf8').trimEnd().split('\n')).join('\n')
      writeFileSync(file, bytes)
      return { file, bytes }
    })
    const store = await openStore(newFolder(), { create: true })
    for (const { file, bytes } of files) {
      const { files: taken, refused } = await store.import([file])
      expect([file, refused]).toEqual([file, []])
      const pieces: Uint8Array[] = []
      for await (const piece of store.export(taken[0]?.session ?? '')) pieces.push(piece)
      expect([file, Buffer.concat(pieces).equals(Buffer.from(bytes))]).toEqual([file, true])
      const session = taken[0]?.session ?? ''
      for await (const { oid } of store.log(session, { all: true })) {
        await store.show(oid)
        break
      }
    }
    expect(({} as { polluted?: boolean }).polluted).toBe(undefined)
    expect((await store.fsck()).findings).toEqual([])
    await store.close()
  })
})

describe('what a tool is called with, nested 99,000 deep', () => {
  it('is imported, found, shown and exported', async () => {
    const deep = `${'{"a":'.repeat(99_000)}1${'}'.repeat(99_000)}`
    const line = (uuid: string, parent: string | null, message: string): string =>
      `{"type":"${uuid === 'b' ? 'assistant' : 'user'}","uuid":"${uuid}","parentUuid":${JSON.stringify(parent)},"sessionId":"deep","message":${message}}\n`
    const path = join(newFolder(), 'deep.jsonl')
    const call = `{"type":"tool_use","id":"t","name":"Bash","input":${deep}}`
    writeFileSync(
      path,
      line('a', null, '{"role":"user","content":"asked"}') +
        line('b', 'a', `{"role":"assistant","id":"m","model":"x","content":[${call}]}`) +
        line('c', 'b', '{"role":"user","content":"found"}'),
    )
    const store = await openStore(newFolder(), { create: true })
    const { refused, totals } = await store.import(path)
    expect([refused, totals.entries]).toEqual([[], 3])
    expect((await store.search('found')).hits).toHaveLength(1)
    await store.show('deep~1')
    await store.diff('deep~1', 'deep')
    for (const format of ['claude-code', 'pi', 'codex', 'gemini-cli', 'opencode', 'markdown', 'html']) {
      let bytes = 0
      for await (const piece of store.export('deep', { format })) bytes += piece.length
      expect([format, bytes > 0]).toEqual([format, true])
    }
    await store.close()
  })
})

/** Has a process say at its end how much memory it took at most, in MiB. */
const PEAK =
  'data:text/javascript,process.on("exit",()=>process.stderr.write(`peak ${process.resourceUsage().maxRSS>>10}`))'

describe('a line of 100 MB', () => {
  const build = built()

  it('is kept as bytes, and no command takes its size of memory for it', () => {
    const dir = newFolder()
    const path = join(dir, 'long.jsonl')
    const line = Buffer.alloc(100 << 20, 'a')
    line.write('{"type":"user","message":"')
    writeFileSync(path, line)
    for (const words of [
      ['import', path],
      ...(ALL ? [['ls'], ['scan'], ['gc']] : []),
      ['fsck'],
      ['export', 'long', '--out', join(dir, 'again.jsonl')],
    ]) {
      const run = [script('sess.mjs'), build, ...words, '--store', join(dir, 'store')]
      const { status, stderr } = spawnSync(process.execPath, ['--import', PEAK, ...run], { encoding: 'utf8' })
      expect([words[0], status]).toEqual([words[0], 0])
      expect([words[0], Number(/peak (\d+)$/.exec(stderr)?.[1]) < 400]).toEqual([words[0], true])
    }
    expect(readFileSync(join(dir, 'again.jsonl')).equals(line)).toBe(true)
  }, 240_000)
})

describe('a file that unpacks to much more than it is', () => {
  it('is given up, and leaves nothing behind', async () => {
    const dir = newFolder()
    const path = join(dir, 'bomb.jsonl.gz')
    writeFileSync(path, gzipSync(Buffer.alloc(8 << 20)))
    const place = newFolder()
    const scratch = new Scratch(join(place, 'scratch.'))
    const error = await expectFailure('unreadable-path', () =>
      compressedContent(path, scratch, 1 << 20)?.open(),
    )
    expect(error.message).toContain('unpacks to more than')
    scratch.close()
    expect(readdirSync(place)).toEqual([])
  })
})
