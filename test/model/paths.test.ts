import { expect, it } from 'vitest'
import { folderOf, isWithin, moved } from '../../src/model/paths.ts'

it('tells what lies in a folder from what only begins like it', () => {
  const within = (path: string): boolean => isWithin(path, '/home/ada/web')
  expect(['/home/ada/web', '/home/ada/web/app'].map(within)).toEqual([true, true])
  expect(['/home/ada/website', '/home/ada', '/home'].map(within)).toEqual([false, false, false])
  expect([isWithin('/home', '/'), isWithin('C:\\web\\app', 'C:\\web')]).toEqual([true, true])
})

it('gives where a path is after its folder moved', () => {
  expect(moved('/a/web', '/a/web', '/b')).toBe('/b')
  expect(moved('/a/web/app/x', '/a/web', '/b/')).toBe('/b/app/x')
  expect(moved('/a/website', '/a/web', '/b')).toBeUndefined()
  expect(moved('/a', '/', '/b')).toBe('/b/a')
})

it.each<[string, number, string | undefined]>([
  ['/home/ada/tides/a.md', 0, '/home/ada/tides'],
  ['/home/ada/tides/.crush/crush.db#id', 1, '/home/ada/tides'],
  ['C:\\ada\\tides\\a.md', 0, 'C:\\ada\\tides'],
  ['/a.md', 0, '/'],
  ['/.crush/crush.db', 1, '/'],
  ['/a.md', 1, undefined],
  ['a.md', 0, undefined],
])('the folder of %j, %i levels up, is %j', (path, levels, folder) => {
  expect(folderOf(path, levels)).toBe(folder)
})
