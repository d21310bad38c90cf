import { describe, expect, it } from 'vitest'
import { detect } from '../../../src/formats/pi/index.ts'
import type { Json } from '../../../src/model/json.ts'

const detects = (...lines: readonly Json[]): boolean =>
  detect({ name: 'x.jsonl', head: new Uint8Array(0), lines, whole: true })
const header = { type: 'session', id: 's', timestamp: '2026-01-02T03:04:05.678Z', cwd: '/x' }

describe('detect', () => {
  it.each([
    ['version 1, which it does not name', [header]],
    [
      'version 3 and a message',
      [
        { ...header, version: 3 },
        { type: 'message', id: 'a', parentId: null },
      ],
    ],
    [
      'a file that only names itself so far',
      [
        { ...header, version: 3 },
        { type: 'session_info', name: 'x' },
      ],
    ],
    [
      'a version that is a text, as in early OpenClaw',
      [{ ...header, version: '0.1.0' }, { type: 'message' }],
    ],
    ['types from later releases and known ones', [header, { type: 'novel' }, { type: 'message' }]],
  ])('takes %s', (_, lines) => {
    expect(detects(...lines)).toBe(true)
  })

  it.each([
    ['nothing', []],
    ['F15: a file whose first record is no header', [{ type: 'message' }, header]],
    ['F15: a header whose id is no text', [{ ...header, id: 7 }]],
    ['a header of version 1, which is of Dash', [{ ...header, version: 1 }]],
    ['a header with a place in a tree by index', [{ ...header, parent: -1 }]],
    ['a header with a uuid', [{ ...header, uuid: 'u', parentUuid: null }]],
    ['a file with no record of pi', [header, { type: 'event_msg' }, { kind: 'x' }]],
    ['a title before the header, which is of oh-my-pi', [{ type: 'title', v: 1 }, header]],
  ])('leaves %s', (_, lines) => {
    expect(detects(...lines)).toBe(false)
  })
})
