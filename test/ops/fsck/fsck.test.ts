import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Oid } from '../../../src/model/encoding/oid.ts'
import { sha256 } from '../../../src/model/encoding/sha256.ts'
import type { JsonObject } from '../../../src/model/json.ts'
import { headRef, sourceLogRef } from '../../../src/model/refname.ts'
import { append, createSession } from '../../../src/ops/append/append.ts'
import { fsck } from '../../../src/ops/fsck/fsck.ts'
import { importPaths } from '../../../src/ops/import/import.ts'
import { switchTo } from '../../../src/ops/switch.ts'
import { addChecksum, removeChecksum } from '../../../src/storage/checksum.ts'
import { decodeBlobRef, encodeBlobRef, encodeTextBlob } from '../../../src/storage/levelbackend/blob.ts'
import { decodeEntryPage, encodeEntryPage } from '../../../src/storage/levelbackend/entrypagecodec.ts'
import { blobKey, type Key, pageKey } from '../../../src/storage/levelbackend/keys.ts'
import { newFolder } from '../../support/folder.ts'
import { nativeRefIn } from '../../support/nativelogs.ts'
import { changePair, pairsOf } from '../../support/pairs.ts'
import { openRepo } from '../../support/store.ts'
import { answered, asked, claudeLines } from '../../support/transcripts.ts'

const GONE = 'ab'.repeat(32) as Oid

describe('fsck', () => {
  it('finds a session that stands detached on an entry that is missing', async () => {
    const repo = await openRepo()
    const id = await createSession(repo)
    const [oid] = await append(repo, id, [{ body: { role: 'user', content: 'Hi' } }])
    await switchTo(repo, oid as Oid, id)
    expect((await fsck(repo)).findings).toEqual([])
    await repo.write({}, ({ move }) => move(headRef(id), { oid: oid as Oid }, { oid: GONE }))
    expect((await fsck(repo)).findings).toMatchObject([
      { code: 'missing', subject: `${id}/HEAD`, message: `the entry ${GONE} that it names is missing` },
    ])
  })

  it('finds nothing in a store that its own process appends to meanwhile', async () => {
    const repo = await openRepo()
    const id = await createSession(repo)
    const ending = new AbortController()
    const appending = (async () => {
      for (let i = 0; !ending.signal.aborted; i++) {
        await append(repo, id, [{ body: { role: 'user', content: `message ${i}` } }])
        await repo.yieldToEvents()
      }
    })()
    for (let i = 0; i < 10; i++) expect((await fsck(repo)).findings).toEqual([])
    ending.abort()
    await appending
  })

  it('stops between branches whose contexts it looks at', async () => {
    const stopping = new AbortController()
    const repo = await openRepo(undefined, { signal: stopping.signal })
    const id = await createSession(repo)
    await append(repo, id, [{ body: { role: 'user', content: 'Hi' } }])
    expect(await fsck(repo, { contexts: true })).toMatchObject({ ok: true, findings: [] })
    stopping.abort()
    await expect(fsck(repo, { contexts: true })).rejects.toMatchObject({ code: 'stopped' })
  })

  it('finds pointers to ancestors that are not what they should be', async () => {
    const repo = await openRepo()
    const id = await createSession(repo)
    const says = Array.from({ length: 20 }, (_, i) => ({ body: { role: 'user', content: `${i}` } }))
    const oids = await append(repo, id, says)
    await repo.close()
    const key = pageKey(0)
    await changePair(repo.dir, key, (value) => {
      const run = decodeEntryPage(0, removeChecksum(key, value, 'the run'))
      const [compacts] = run.near
      ;(compacts as Float64Array)[19] = 5
      run.jump[18] = 18
      run.tokens[19] = 1000
      return addChecksum(key, encodeEntryPage(run))
    })
    const { findings } = await fsck(await openRepo(repo.dir))
    expect(findings.map(({ code, subject }) => [code, subject])).toEqual([
      ['jump', oids[18]],
      ['weight', oids[19]],
      ['near', oids[19]],
    ])
  })

  it('finds an oid that is not that of its entry', async () => {
    const repo = await openRepo()
    const id = await createSession(repo)
    await append(
      repo,
      id,
      Array.from({ length: 100 }, (_, i) => ({ body: { role: 'user', content: `${i}` } })),
    )
    await repo.close()
    const key = pageKey(0)
    await changePair(repo.dir, key, (value) => {
      const run = decodeEntryPage(0, removeChecksum(key, value, 'the run'))
      run.setOid(run.indexesOfStoredOids[0] as number, GONE)
      return addChecksum(key, encodeEntryPage(run))
    })
    const { findings } = await fsck(await openRepo(repo.dir))
    expect(findings).toContainEqual(
      expect.objectContaining({
        code: 'index',
        subject: 'the index',
        message: "the page at 0 has an oid that is not its entry's",
      }),
    )
  })

  it('finds a large text that its digest would find and that is another', async () => {
    const repo = await openRepo()
    const id = await createSession(repo)
    const texts = ['one', 'other'].map((word) => word.repeat(1000))
    await append(
      repo,
      id,
      texts.map((content) => ({ body: { role: 'user', content } })),
    )
    await repo.close()
    const [one, other] = texts.map((text) => blobKey(sha256(encodeTextBlob(text)))) as [Key, Key]
    const [, place] = (await pairsOf(repo.dir)).find(([key]) => Buffer.compare(key, other) === 0) ?? []
    const { block, index } = decodeBlobRef(other, place as Uint8Array)
    await changePair(repo.dir, one, () => addChecksum(one, encodeBlobRef(block, index)))
    const { findings } = await fsck(await openRepo(repo.dir))
    expect(findings).toMatchObject([
      { code: 'index', subject: 'the index', message: 'a blob is not what its digest says' },
    ])
  })

  it('lets another version have counted the words of other agents otherwise', async () => {
    const repo = await openRepo()
    const path = join(newFolder(), 'chat.jsonl')
    writeFileSync(path, claudeLines('chat', asked('q', null), answered('a', 'q')).join(''))
    await importPaths(repo, [path])
    await repo.close()
    const key = pageKey(0)
    const counted = async (tokens: number): Promise<readonly string[]> => {
      await changePair(repo.dir, key, (value) => {
        const run = decodeEntryPage(0, removeChecksum(key, value, 'the run'))
        run.tokens[1] = tokens
        return addChecksum(key, encodeEntryPage(run))
      })
      const store = await openRepo(repo.dir)
      const { findings } = await fsck(store)
      await store.close()
      return findings.map(({ code }) => code)
    }
    expect(await counted(1000)).toEqual([])
    expect(await counted(0)).toEqual(['weight'])
  })

  it('finds logs that are not what their running hash says', async () => {
    const repo = await openRepo()
    const path = join(newFolder(), 'chat.jsonl')
    writeFileSync(path, '{"role":"user","content":"Hi"}\n')
    const { files } = await importPaths(repo, [path])
    const session = files[0]?.session ?? ''
    await append(repo, session, [{ body: { role: 'user', content: 'Ho' } }])
    for (const ref of [sourceLogRef(session), nativeRefIn(repo.dir, session)]) {
      const right = await repo.write({}, async ({ reader, move }) => {
        const head = (await reader.ref(ref)) as JsonObject
        move(ref, head, { ...head, hash: GONE })
        return head
      })
      expect((await fsck(repo)).findings).toMatchObject([
        { code: 'log', subject: session, message: 'its log is not what its running hash says' },
      ])
      await repo.write({}, ({ move }) => move(ref, { ...right, hash: GONE }, right))
    }
    expect((await fsck(repo)).findings).toEqual([])
  })
})
