import { describe, expect, it } from 'vitest'
import { branchRef } from '../../src/model/refname.ts'
import { append, createSession } from '../../src/ops/append/append.ts'
import { createBranch } from '../../src/ops/branch.ts'
import { tipOfSession } from '../../src/ops/sessionids.ts'
import { Repo } from '../../src/repo/repo.ts'
import { MOST_BRANCHES } from '../../src/repo/session.ts'
import { CHROMIUM, SKIPPED, servePage, startBrowser, storeWith, Tab } from '../support/webpage.ts'

const says = (content: string, i = 0) => ({ body: { role: i % 2 === 0 ? 'user' : 'assistant', content } })

/** Makes a session whose attempt parts at its third entry. */
async function branched(): Promise<{ dir: string; id: string }> {
  const { dir } = await storeWith()
  const repo = await Repo.open(dir)
  const id = await createSession(repo, { title: 'Two ways' })
  const trunk = await append(repo, id, ['one', 'two', 'three'].map(says))
  await createBranch(repo, id, 'attempt', trunk.at(-1))
  await append(repo, id, ['try a', 'try b', 'try c', 'try d'].map(says), { branch: 'attempt' })
  await append(repo, id, ['four', 'five'].map(says), { branch: 'main' })
  await repo.close()
  return { dir, id }
}

describe.skipIf(!CHROMIUM)(`the tree of the page${SKIPPED}`, () => {
  it('opens and closes a path by keys and clicks, and keeps that in its address', async () => {
    const { dir, id } = await branched()
    const tab = await Tab.open(await startBrowser(), await servePage(dir))
    const { page } = tab
    await tab.go(`/s/${id}`)
    const rows = (): Promise<string[]> =>
      page
        .locator('[role=treeitem]')
        .evaluateAll((all) => all.map((row) => `${row.getAttribute('aria-level')} ${row.textContent}`))
    const active = (): Promise<string | null> =>
      page.locator('.tree').evaluate((tree) => {
        const row = document.getElementById(tree.getAttribute('aria-activedescendant') ?? '')
        return row && `${row.querySelector('.tx')?.textContent} ${row.getAttribute('aria-expanded')}`
      })
    const all = [
      '1 one',
      '1 two',
      '1 three',
      '2 try a',
      '3 try b',
      '3 try c',
      '3 attempttry d',
      '1 four',
      '1 mainfive',
    ]
    const closed = ['1 one', '1 two', '1 three', '2 try a3', '1 four', '1 mainfive']
    await expect.poll(rows).toEqual(closed)
    await page.locator('.tree').focus()
    const press = async (...keys: readonly string[]): Promise<void> => {
      for (const key of keys) await page.keyboard.press(key)
    }
    await press('Home', 'ArrowLeft')
    await expect.poll(active).toBe('one null')
    await press('ArrowDown', 'ArrowDown', 'ArrowRight')
    await expect.poll(active).toBe('try a false')
    await press('ArrowRight')
    await expect.poll(rows).toEqual(all)
    expect(await tab.address).toContain('shown=')
    await expect.poll(active).toBe('try a true')
    await page.reload()
    await expect.poll(rows).toEqual(all)
    await page.locator('.tree').focus()
    await press('Home', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowRight')
    await expect.poll(active).toBe('try b null')
    await press('ArrowLeft', 'ArrowLeft')
    await expect.poll(active).toBe('try a false')
    await expect.poll(rows).toEqual(closed)
    expect(await tab.address).not.toContain('shown=')
    await press('ArrowLeft')
    await expect.poll(active).toBe('three null')
    await page.getByTitle('show what follows').click()
    await expect.poll(rows).toEqual(all)
    expect(tab.offences).toEqual([])
  })

  it('reads a branch of a session that has very many', { timeout: 60_000 }, async () => {
    const { dir, id } = await branched()
    const repo = await Repo.open(dir)
    const tip = await tipOfSession(repo, id)
    await repo.write({}, ({ move }) => {
      for (let i = 0; i < 2 * MOST_BRANCHES; i++) move(branchRef(id, `b${10_000 + i}`), undefined, tip)
    })
    const last = `b${10_000 + 2 * MOST_BRANCHES - 1}`
    await append(repo, id, [says('far away')], { branch: last })
    await repo.close()
    const tab = await Tab.open(await startBrowser(), await servePage(dir))
    await tab.go(`/s/${id}?b=${last}`)
    await expect.poll(() => tab.page.locator('main').textContent()).toContain('far away')
    expect(tab.offences).toEqual([])
  })

  it('shows the path that is read, and closes that too', async () => {
    const { dir, id } = await branched()
    const tab = await Tab.open(await startBrowser(), await servePage(dir))
    const { page } = tab
    await tab.go(`/s/${id}?b=attempt`)
    const count = (): Promise<number> => page.locator('[role=treeitem]').count()
    await expect.poll(count).toBe(9)
    await page.getByTitle('hide what follows').click()
    await expect.poll(count).toBe(6)
    await page.reload()
    await expect.poll(count).toBe(6)
    await page.getByTitle('show what follows').click()
    await expect.poll(count).toBe(9)
    expect(await tab.findings()).toEqual([])
    expect(tab.offences).toEqual([])
  })

  it('opens the entries that a filter leaves out, and leaves them out again', async () => {
    const { dir, id } = await branched()
    const tab = await Tab.open(await startBrowser(), await servePage(dir))
    const { page } = tab
    await tab.go(`/s/${id}?filter=labeled-only`)
    const count = (): Promise<number> => page.locator('[role=treeitem]').count()
    await expect.poll(count).toBe(2)
    await page
      .getByTitle(/entries above it/)
      .first()
      .click()
    await expect.poll(count).toBeGreaterThan(2)
    await page.getByTitle('show fewer entries').click()
    await expect.poll(count).toBe(2)
    await page.getByRole('button', { name: 'Labels' }).waitFor()
    expect(await tab.findings()).toEqual([])
    expect(tab.offences).toEqual([])
  })
})
