import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseSessionRef } from '../../src/model/refname.ts'
import { append, createSession } from '../../src/ops/append/append.ts'
import { createBranch } from '../../src/ops/branch.ts'
import { fork } from '../../src/ops/fork.ts'
import { importPaths } from '../../src/ops/import/import.ts'
import { moveFolder } from '../../src/ops/movefolder.ts'
import { renameSession } from '../../src/ops/rename.ts'
import { setPairs } from '../../src/ops/setkeys.ts'
import { undo } from '../../src/ops/undo.ts'
import { decodeItems } from '../../src/storage/levelbackend/block.ts'
import { decompress } from '../../src/storage/levelbackend/compression.ts'
import { decodeEntryPage } from '../../src/storage/levelbackend/entrypagecodec.ts'
import { SPACE } from '../../src/storage/levelbackend/keys.ts'
import { decodeSegment } from '../../src/storage/levelbackend/recordsegment.ts'
import { decodeRef, fullNames } from '../../src/storage/levelbackend/refs.ts'
import { newFolder } from '../support/folder.ts'
import { pairsOf } from '../support/pairs.ts'
import { openRepo } from '../support/store.ts'
import { asked, claudeLines } from '../support/transcripts.ts'

const text = readFileSync(new URL('../../docs/store-format.md', import.meta.url), 'utf8')
const section = (title: string): string =>
  text.split(/^## /m).find((part) => part.startsWith(`${title}\n`)) ?? ''
const block = (title: string): string => /^```text\n(.*?)^```$/ms.exec(section(title))?.[1] ?? ''

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

/** Says of a pair what the document says of it. */
function said(key: Uint8Array, value: Uint8Array): string {
  const space = String.fromCharCode(key[0] as number)
  const rest = key.subarray(1)
  const bytes = value.subarray(8)
  const lengths = (): string => {
    const lengthsOf = decodeItems(decompress(bytes)).map((item) => item.length)
    return `${bytes[0] === 0 ? 'plain' : 'brotli'}, items of ${lengthsOf.join(' and ')} bytes`
  }
  switch (space) {
    case 'c':
      return `c  ${hexOf(bytes)}`
    case 'b':
      return `b ${hexOf(rest)}  ${lengths()}`
    case 'e':
      return `e <id>  its range`
    case 'd':
    case 'i':
      return `${space} ${hexOf(rest)}  ${hexOf(space === 'i' ? value : bytes)}`
    case 'h': {
      const { count, types } = decodeEntryPage(Number.parseInt(hexOf(rest), 16), bytes)
      return `h ${hexOf(rest)}  ${count} entries of ${types.join()}`
    }
    case 'l':
      return `l <writer> ${hexOf(rest.subarray(8, 12))} ${hexOf(rest.subarray(12))}  ${decodeSegment(decompress(bytes)).length} records`
    case 'o': {
      const [number, , , , , command, moves] = decodeRef(decompress(bytes)) as [
        number,
        0,
        0,
        0,
        0,
        string,
        [string][],
      ]
      const names = fullNames(moves.map(([name]) => name)).map((name) =>
        name.split('/').slice(2).join('/').replace(WRITER_NAME, 'natives/<writer>'),
      )
      return `o ${hexOf(rest)}  ${number}, '${command}', moves ${names.join(' and ')}`
    }
    default: {
      const name = Buffer.from(rest)
        .toString()
        .replace(/^sessions\/[^/]+/, ' sessions/<id>')
        .replace(WRITER_NAME, 'natives/<writer>')
      const shown = JSON.stringify(decodeRef(bytes))
        .replaceAll(/"([0-9a-f]{8})[0-9a-f]{56}"/g, '"$1…"')
        .replaceAll(/\b17\d{11}\b/g, '<time>')
        .replaceAll(/"[0-9a-f]{16}\./g, '"<writer>.')
      return `${space}${name}  ${shown}`
    }
  }
}

const WRITER_NAME = /natives\/[0-9a-f]{16}$/

describe('the document of the store format', () => {
  it('shows every pair of a small store', async () => {
    const repo = await openRepo()
    const id = await createSession(repo, { title: 'Small' })
    await append(repo, id, [{ body: { role: 'user', content: 'Hi' } }])
    await append(repo, id, [{ body: { role: 'assistant', content: 'Hello! '.repeat(200) } }])
    await repo.close()
    const shown = (await pairsOf(repo.dir)).map(([key, value]) => said(key, value))
    expect(`${shown.join('\n')}\n`).toBe(block('A store with two entries'))
  })

  it('names every keyspace', () => {
    const named = [...section('Keys and values').matchAll(/^\| `(\w)` \|/gm)].map(([, letter = '']) => letter)
    const spaces = Object.values(SPACE).map((byte) => String.fromCharCode(byte))
    expect(named.toSorted()).toEqual(spaces.toSorted())
  })

  it('names every field of what refs hold', async () => {
    const [one, other] = [join(newFolder(), 'chat.json'), join(newFolder(), 'chat.json')]
    writeFileSync(one, '{"id":"a","messages":[{"role":"user","content":"Hi"}]}')
    const long = 'Ho '.repeat(500)
    writeFileSync(
      other,
      `{"id":"a","messages":[{"role":"user","content":"${long}","timestamp":1767225600000}]}`,
    )
    const lacking = join(newFolder(), 'c.jsonl')
    const request = {
      type: 'pr-link',
      prUrl: 'https://github.com/ada/lamp/pull/42',
      cwd: '/lamp',
      gitBranch: 'main',
    }
    writeFileSync(lacking, claudeLines('c', asked('u2', 'u1'), request).join(''))
    const repo = await openRepo()
    await importPaths(repo, [one, other, lacking])
    const { session } = await fork(repo, 'a', { title: 'Titled' })
    await renameSession(repo, 'a', 'Another')
    await setPairs(repo, 'a', { status: 'done' })
    await append(repo, session, [{ body: { role: 'user', content: 'More' } }])
    await createBranch(repo, session, 'more')
    await append(repo, session, [{ body: { role: 'user', content: 'Most' } }])
    await undo(repo, { any: true })
    await append(repo, session, [{ body: { role: 'user', content: 'Else' } }])
    await createSession(repo)
    await moveFolder(repo, repo.env.cwd, '/elsewhere')
    await repo.close()
    const held: [kind: string, value: object][] = []
    for (const [key, value] of await pairsOf(repo.dir)) {
      if (key[0] !== SPACE.ref) continue
      const kind = parseSessionRef(Buffer.from(key.subarray(1)).toString())?.kind ?? ''
      held.push([kind, decodeRef(value.subarray(8)) as object])
    }
    for (const kind of ['meta', 'source', 'native']) {
      const row = section('Refs').match(new RegExp(`^\\| \`${kind}\` \\|(.*)$`, 'm'))?.[1] ?? ''
      const named = [...row.matchAll(/`(\w+)`/g)].map(([, name = '']) => name)
      const all = held.filter(([of]) => of === kind).map(([, value]) => Object.keys(value))
      expect([kind, ...named.toSorted()]).toEqual([kind, ...[...new Set(all.flat())].toSorted()])
      for (const keys of all) expect(keys).toEqual(named.filter((name) => keys.includes(name)))
    }
  })

  it('names the files of a store', async () => {
    const repo = await openRepo()
    const id = await createSession(repo)
    await repo.close()
    // A table is made of what LevelDB's log holds as it is opened.
    const again = await openRepo(repo.dir)
    await append(
      again,
      id,
      Array.from({ length: 99 }, (_, n) => ({ body: { role: 'user', content: `${n}` } })),
    )
    await again.close()
    const third = await openRepo(repo.dir)
    await createSession(third)
    await third.close()
    const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8)
    expect(mode(repo.dir)).toBe('700')
    const rows = [...section('The folder').matchAll(/^\| `([^`]+)` \| (\d+) \|/gm)]
    expect(rows.map(([, name = '']) => name).toSorted()).toEqual(readdirSync(repo.dir).toSorted())
    for (const [, name = '', bits] of rows) expect([name, mode(join(repo.dir, name))]).toEqual([name, bits])
  })

  it('names every finding of fsck', () => {
    const source = ['finding', 'fsck', 'sessions'].map((name) =>
      readFileSync(new URL(`../../src/ops/fsck/${name}.ts`, import.meta.url), 'utf8'),
    )
    const codes = [...source.join('').matchAll(/(?:report|add|attempt)\(\s*(?:report,\s*)?'([a-z]+)'/g)].map(
      ([, code = '']) => code,
    )
    const named = [...section('What fsck checks').matchAll(/^\| `([a-z]+)` \|/gm)].map(
      ([, code = '']) => code,
    )
    expect(named.toSorted()).toEqual([...new Set(codes)].toSorted())
  })
})
