import { beforeEach, describe, expect, it } from 'vitest'
import type { Oid } from '../../src/model/encoding/oid.ts'
import type { Json } from '../../src/model/json.ts'
import { regularExpression } from '../../src/model/pattern/pattern.ts'
import { append, createSession } from '../../src/ops/append/append.ts'
import { fork } from '../../src/ops/fork.ts'
import { listSessions } from '../../src/ops/list.ts'
import { type LogOptions, log } from '../../src/ops/log.ts'
import type { Repo } from '../../src/repo/repo.ts'
import { openRepo } from '../support/store.ts'

let repo: Repo
let id: string
let oids: Oid[]

const says = (role: string, content: Json): { body: Json } => ({ body: { role, content } })
const calls = (name: string, input: Json): { body: Json } =>
  says('assistant', [{ type: 'tool_use', id: name, name, input }])

/** Returns the numbers of the entries that a log has. */
async function logged(options: LogOptions): Promise<number[]> {
  const numbers: number[] = []
  for await (const { oid } of log(repo, id, options)) numbers.push(oids.indexOf(oid))
  return numbers
}

beforeEach(async () => {
  repo = await openRepo()
  id = await createSession(repo, { cwd: '/work/harbour' })
  oids = await append(repo, id, [
    says('user', 'Mind the tide table'),
    calls('Read', { file_path: '/work/harbour/src/tide.js' }),
    calls('Edit', { file_path: 'src/clock.js', old_string: 'a', new_string: 'b' }),
    says('assistant', 'The table is\ncorrect now.'),
  ])
})

describe('a log', () => {
  it('has the newest entries first, or the oldest of them with reverse', async () => {
    expect(await logged({})).toEqual([3, 2, 1, 0])
    expect(await logged({ reverse: true })).toEqual([0, 1, 2, 3])
    expect(await logged({ reverse: true, limit: 2 })).toEqual([2, 3])
    expect(await logged({ limit: 0 })).toEqual([])
  })

  it('has the entries that a pattern matches', async () => {
    expect(await logged({ grep: regularExpression('TIDE|correct') })).toEqual([3, 1, 0])
    expect(await logged({ grep: regularExpression('table'), limit: 1 })).toEqual([3])
    expect(await logged({ grep: regularExpression('table'), reverse: true, limit: 2 })).toEqual([0, 3])
    expect(await logged({ grep: regularExpression('^correct') })).toEqual([3])
  })

  it('has the entries that touch a file, or a file in a folder', async () => {
    expect(await logged({ touches: ['src/clock.js'] })).toEqual([2])
    expect(await logged({ touches: ['./src/tide.js'] })).toEqual([1])
    expect(await logged({ touches: ['/work/harbour/src'] })).toEqual([2, 1])
    expect(await logged({ touches: ['src'] })).toEqual([2, 1])
    expect(await logged({ touches: ['src/clock'] })).toEqual([])
  })

  it('has the entries of a time', async () => {
    const times: number[] = []
    for await (const { time } of log(repo, id)) times.push(Date.parse(String(time)))
    expect(await logged({ since: Math.max(...times) + 1 })).toEqual([])
    expect(await logged({ since: Math.min(...times), limit: 2 })).toEqual([3, 2])
    expect(await logged({ until: Math.min(...times) })).toEqual([])
  })
})

it('shows a fork by the prompt of its origin, also where it is named by an entry alone', async () => {
  for (const revision of [id, `${id}~1`, oids[2] as Oid]) {
    const { session } = await fork(repo, revision)
    const rows = [...(await listSessions(repo)).rows()]
    expect(rows.find((row) => row.id === session)?.prompt).toBe('Mind the tide table')
  }
})
