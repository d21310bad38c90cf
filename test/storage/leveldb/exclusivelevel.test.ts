import { once } from 'node:events'
import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { isHeld, newLevel } from '../../../src/storage/leveldb/database.ts'
import { built } from '../../support/built.ts'
import { newFolder } from '../../support/folder.ts'
import { getsIn } from '../../support/getsin.ts'

const build = built()

const othersGetIn = (folder: string): Promise<boolean> => getsIn(build, folder)
const locked = { cause: { code: 'LEVEL_LOCKED' } }

describe('a database that this process has', () => {
  it('is not let go by opening it here again', async () => {
    const folder = newFolder()
    const level = newLevel(folder, true)
    await level.open()
    await expect(newLevel(folder, false).open()).rejects.toMatchObject(locked)
    expect(await isHeld(folder)).toBe(true)
    expect(await othersGetIn(folder)).toBe(false)
    await level.close()
    expect(await isHeld(folder)).toBe(false)
    expect(await othersGetIn(folder)).toBe(true)
  })

  it('is the same by way of a link, and while it is being opened', async () => {
    const [folder, beside] = [join(newFolder(), 'db'), newFolder()]
    mkdirSync(folder)
    symlinkSync(folder, join(beside, 'link'))
    const level = newLevel(folder, true)
    const opening = level.open()
    await expect(newLevel(join(beside, 'link'), false).open()).rejects.toMatchObject(locked)
    await opening
    expect(await othersGetIn(folder)).toBe(false)
    await level.close()
  })

  it.runIf(existsSync('/proc/locks'))('is not let go by asking whether another thread has it', async () => {
    const folder = newFolder()
    const text = `import { parentPort } from 'node:worker_threads'
      const { newLevel } = await import(${JSON.stringify(pathToFileURL(`${build}/storage/leveldb/database.js`))})
      const level = newLevel(${JSON.stringify(folder)}, true)
      await level.open()
      parentPort.once('message', () => undefined)
      parentPort.postMessage('open')`
    const thread = new Worker(new URL(`data:text/javascript,${encodeURIComponent(text)}`))
    expect(await once(thread, 'message')).toEqual(['open'])
    expect(await isHeld(folder)).toBe(true)
    expect(await othersGetIn(folder)).toBe(false)
    await thread.terminate()
  })

  it('can be opened again where it did not open', async () => {
    const folder = newFolder()
    await expect(newLevel(folder, false).open()).rejects.toThrow('Database failed to open')
    const level = newLevel(folder, true)
    await level.open()
    await level.close()
  })
})
