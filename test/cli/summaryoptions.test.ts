import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

it('serves every command that leaves a summary', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  const program = `${process.execPath} -e "console.log('Tried.')"`
  const said = async (...words: string[]): Promise<string> => {
    const { code, stderr } = await shell.main([...words, '--summarize', program])
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
    return (await shell.run('sess context 3b1f --json')).stdout
  }
  expect(await said('pop', '3b1f')).toContain(
    '"part":"branch-summary","role":"user","blocks":[{"kind":"text","text":"Tried."}]',
  )
  await shell.run('sess undo')
  expect(await said('navigate', '3b1f/at-1d9fca05')).toContain('"text":"Tried."')
  await shell.run('sess undo')
  expect(await said('compact', '3b1f', '--keep-tokens', '0')).toContain('"part":"compaction-summary"')
  const { stdout } = await shell.main(['handoff', 'go on', '3b1f~1', '--summarize', program])
  expect(stdout).toMatch(/# The session so far\nTried\.\n$/)
})
