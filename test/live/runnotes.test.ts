import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { LIVE } from '../../src/live/livefolder.ts'
import { noteRun, RUN_VARIABLE, takeRun } from '../../src/live/runnotes.ts'
import { newFolder } from '../support/folder.ts'

const RUN = '0123456789abcdef'

it('tells the sessions of a run once, and passes over notes that are torn', () => {
  const folder = newFolder()
  const note = (path: string | null, session: string | null): void =>
    noteRun(folder, { [RUN_VARIABLE]: RUN }, { path, session } as never)
  note('/a.jsonl', 'a')
  appendFileSync(join(folder, LIVE.runs, `${RUN}.jsonl`), '["/torn.js\n{"path":1}\n[2,3]\n')
  note(null, 'b')
  expect(takeRun(folder, RUN)).toEqual({ paths: new Set(['/a.jsonl']), ids: new Set(['a', 'b']) })
  expect(takeRun(folder, RUN)).toEqual({ paths: new Set(), ids: new Set() })
})
