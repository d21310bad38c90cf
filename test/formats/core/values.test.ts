import { expect, it } from 'vitest'
import { pathOfUri } from '../../../src/formats/core/values.ts'

it.each([
  ['file:///home/ada/tides', '/home/ada/tides'],
  ['file:///home/ada/my%20tides%C3%A9', '/home/ada/my tidesé'],
  ['file:///c%3A/Users/ada', 'c:\\Users\\ada'],
  ['file:///C:', 'C:'],
  ['file:///home/100%', '/home/100%'],
  ['/home/a%20b', '/home/a%20b'],
  ['vscode-remote://host/x', 'vscode-remote://host/x'],
])('the path of %s is %s', (uri, path) => {
  expect(pathOfUri(uri)).toBe(path)
})
