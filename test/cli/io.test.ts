import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

it('fills no line up beyond a width that screens have, whatever is asked for', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions/claude')
  const diff = (COLUMNS: string) => shell.run('sess diff 3b1f c7d0', { variables: { COLUMNS } })
  const widest = await diff('1000')
  expect(widest.code).toBe(0)
  for (const columns of ['1e9', 'Infinity']) expect(await diff(columns)).toEqual(widest)
  expect(await diff('-1')).toEqual(await diff('40'))
  expect(await diff('wide')).toEqual(await diff('100'))
})
