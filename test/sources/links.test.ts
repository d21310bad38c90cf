import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { type DiscoveredFiles, discover, type SessionFolder } from '../../src/sources/sessionfolders.ts'
import { newFolder } from '../support/folder.ts'

const write = (path: string, text = '{}\n'): string => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}

/** Makes a home with a place of an agent, and a function that looks there. */
function home(): { home: string; place: string; found: () => DiscoveredFiles; paths: () => string[] } {
  const folder = realpathSync(newFolder())
  const place = join(folder, '.agent', 'projects')
  mkdirSync(place, { recursive: true })
  const places: SessionFolder[] = [{ agent: 'agent', folder: place, files: /\.jsonl$/ }]
  const found = (): DiscoveredFiles => discover(places, folder)[0] as DiscoveredFiles
  return {
    home: folder,
    place,
    found,
    paths: () => found().files.map(({ path }) => path.slice(place.length + 1)),
  }
}

it('follows a link at the place of an agent to a folder or a file below home', () => {
  const { home: folder, place, found, paths } = home()
  write(join(folder, 'dotfiles', 'lamp', 'a.jsonl'))
  write(join(folder, 'dotfiles', 'lamp', 'a', 'b.jsonl'))
  write(join(folder, 'dotfiles', 'lamp', 'notes.txt'))
  symlinkSync(join(folder, 'dotfiles', 'lamp'), join(place, '-lamp'))
  symlinkSync(write(join(folder, 'one.jsonl')), join(place, 'c.jsonl'))
  expect(paths()).toEqual(['-lamp/a/b.jsonl', '-lamp/a.jsonl', 'c.jsonl'])
  expect(found().links).toEqual([])
})

it('finds each real file once', () => {
  const { home: folder, place, found, paths } = home()
  write(join(place, '-new', 'a.jsonl'))
  write(join(folder, 'elsewhere', 'b.jsonl'))
  symlinkSync(join(place, '-new'), join(place, '-old'))
  symlinkSync(join(place, '-new', 'a.jsonl'), join(place, 'again.jsonl'))
  symlinkSync(join(folder, 'elsewhere'), join(place, '-one'))
  symlinkSync(join(folder, 'elsewhere'), join(place, '-two'))
  expect(paths()).toEqual(['-new/a.jsonl', '-one/b.jsonl'])
  expect(found().links).toEqual([])
})

it('lists the links that it does not follow', () => {
  const { home: folder, place, found, paths } = home()
  const outside = newFolder()
  write(join(outside, 'a.jsonl'))
  const links: Readonly<Record<string, string>> = {
    '-outside': outside,
    'file.jsonl': join(outside, 'a.jsonl'),
    '-up': join(folder, '.agent'),
    '-home': folder,
    '-itself': join(place, '-itself'),
    '-gone': join(folder, 'gone'),
    'secret.jsonl': write(join(folder, '.netrc')),
    'notes.txt': write(join(folder, 'notes.txt')),
  }
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(place, name))
  expect(paths()).toEqual([])
  expect(found().links.map((link) => link.slice(place.length + 1))).toEqual([
    ...['-gone', '-home', '-itself', '-outside', '-up', 'file.jsonl', 'secret.jsonl'],
  ])
})

it('follows no link behind a link, and none without a home', () => {
  const { home: folder, place, paths } = home()
  write(join(folder, 'a', 'a.jsonl'))
  write(join(folder, 'b', 'b.jsonl'))
  symlinkSync(join(folder, 'b'), join(folder, 'a', 'more'))
  symlinkSync(join(folder, 'a'), join(place, '-a'))
  expect(paths()).toEqual(['-a/a.jsonl'])
  expect(
    discover([{ agent: 'agent', folder: place, files: /\.jsonl$/ }]).flatMap(({ files }) => files),
  ).toEqual([])
})
