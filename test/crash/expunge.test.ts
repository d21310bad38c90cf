import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { append, createSession } from '../../src/ops/append/append.ts'
import { fsck } from '../../src/ops/fsck/fsck.ts'
import { importPaths } from '../../src/ops/import/import.ts'
import { expunge } from '../../src/ops/secrets/expunge.ts'
import { readGeneration } from '../../src/storage/directory/generation.ts'
import { standsIn } from '../support/everybyte.ts'
import { some, tally } from '../support/faults.ts'
import { newFolder } from '../support/folder.ts'
import { imagesOf } from '../support/images.ts'
import { GITHUB } from '../support/secrets.ts'
import { openRepo } from '../support/store.ts'
import { claudeLine } from '../support/transcripts.ts'

it('class 2: an expunge that is killed at any step leaves the former state or the new one, and finishes when repeated', {
  timeout: 300_000,
}, async () => {
  const repo = await openRepo(join(newFolder(), 'store'))
  const { dir } = repo
  const path = join(newFolder(), `with ${GITHUB}.jsonl`)
  const line = claudeLine('s1', 0, {
    type: 'user',
    uuid: 'u1',
    parentUuid: null,
    message: { role: 'user', content: `${'use it: '.repeat(13)}${GITHUB}` },
  })
  writeFileSync(path, `${line}{"torn": "${GITHUB}`)
  await importPaths(repo, [path])
  const id = await createSession(repo, { title: `With ${GITHUB}` })
  await append(repo, id, [{ body: { role: 'user', content: `once more ${GITHUB}` } }])
  await repo.close()
  const before = readGeneration(dir)
  const secrets = [GITHUB]
  const images = await imagesOf(dir, async () => {
    const expunging = await openRepo(dir)
    await expunge(expunging, { secrets })
    await expunging.close()
  })
  expect(images.length).toBeGreaterThan(20)
  const published = images.filter(
    ({ dir: at }) => existsSync(join(at, `db.${before + 1}`)) && readGeneration(at) > before,
  )
  expect(published.length).toBeGreaterThan(3)
  // The process that opens the store next finds no secret once the new database is published.
  for (const image of some(published, 12)) {
    const opened = await openRepo(image.dir)
    await append(opened, await createSession(opened), [{ body: { role: 'user', content: 'goes on' } }])
    expect((await fsck(opened)).findings).toEqual([])
    await opened.close()
    expect([image.step, await standsIn(image.dir, GITHUB)]).toEqual([image.step, []])
  }
  for (const image of some(images, 12)) {
    const again = await openRepo(image.dir)
    await expunge(again, { secrets })
    expect((await fsck(again)).findings).toEqual([])
    await again.close()
    expect([image.step, await standsIn(image.dir, GITHUB)]).toEqual([image.step, []])
  }
  tally(2, 'killed at a step of an expunge', images.length)
})
