import { expect, it } from 'vitest'
import type { Unit } from '../../../src/formats/core/splitter.ts'
import { Notices } from '../../../src/ops/import/notices.ts'

const unit = (line: number, text: string): Unit => ({
  line,
  lead: 0,
  bytes: Buffer.from(text),
  salvaged: false,
})

it('keeps a hundred of each kind, and says how many more there were: what is frequent hides nothing else', () => {
  const notices = new Notices()
  for (let line = 1; line <= 150; line++) notices.take(unit(line, '"a\u2028b"\n'), [])
  notices.take(unit(151, '{}\n'), [{ code: 'missing-id', message: 'has no id' }])
  const bytes = Buffer.byteLength('"a\u2028b"\n')
  const all = notices.all
  expect(all.filter(({ code }) => code === 'line-separator')).toHaveLength(100)
  expect(all.slice(100)).toEqual([
    { code: 'missing-id', line: 151, offset: 150 * bytes, message: 'has no id' },
    { code: 'more-warnings', line: 0, offset: 0, message: '50 more warnings are not shown' },
  ])
})
