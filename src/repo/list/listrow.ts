import type { Oid } from '../../model/oid.ts'
import { iso } from '../time.ts'
import type { ListTable } from './listcells.ts'
import type { Listed } from './listed.ts'

/** Oids by names, in the order in which they stand behind the columns of a list. */
export const MAPS = ['branches', 'labels', 'agents'] as const

type Oids = { readonly [name: string]: Oid }

const NO_OIDS: Oids = {}

const OID = 32

/** Gives a function that gives what a list says of the session at an index, by columns and the oids behind them. */
export function rowsBy(column: ListTable['column'], oids: Uint8Array): (index: number) => Listed {
  const [branches, labels, agents] = mapsBy(column, oids)
  const id = column('id')
  const format = column('format')
  const title = column('title')
  const opening = column('opening')
  const remainder = column('remainder')
  const cwd = column('cwd')
  const entries = column('entries')
  const records = column('records')
  const prompts = column('prompts')
  const calls = column('calls')
  const tokens = tokensBy(column)
  const cost = column('cost')
  const model = column('model')
  const set = column('set')
  const head = column('head')
  const parent = column('parent')
  const created = column('created')
  const updated = column('updated')
  const source = column('source')
  return (i) =>
    ({
      id: id[i],
      format: format[i],
      title: title[i],
      prompt: opening[i] && `${opening[i]}${remainder[i]}`,
      cwd: cwd[i],
      entries: entries[i],
      records: records[i],
      prompts: prompts[i],
      calls: calls[i],
      tokens: tokens(i),
      cost: cost[i],
      model: model[i],
      branches: branches(i),
      labels: labels(i),
      set: set[i],
      head: head[i],
      parent: parent[i],
      agents: agents(i),
      created: iso(created[i]),
      updated: iso(updated[i]),
      source: source[i],
    }) as Listed
}

function tokensBy(column: ListTable['column']): (index: number) => Listed['tokens'] {
  const all = column('tokens')
  const input = column('input') as readonly number[]
  const output = column('output') as readonly number[]
  const cacheRead = column('cacheRead') as readonly number[]
  const cacheWrite = column('cacheWrite') as readonly number[]
  return (i) => {
    const total = all[i] as number | null
    if (total === null) return null
    return {
      input: input[i] as number,
      output: output[i] as number,
      cacheRead: cacheRead[i] as number,
      cacheWrite: cacheWrite[i] as number,
      total,
    }
  }
}

type MapOf = (index: number) => Oids

function mapsBy(column: ListTable['column'], bytes: Uint8Array): [MapOf, MapOf, MapOf] {
  const oids = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const oidAt = (place: number): Oid => oids.toString('hex', place, place + OID) as Oid
  let place = 0
  const [branches, labels, agents] = MAPS.map((key): MapOf => {
    const names = column(key)
    const places = new Float64Array(names.length)
    for (let i = 0; i < names.length; i++) {
      places[i] = place
      place += OID * (names[i] as readonly string[]).length
    }
    return (i) => {
      const own = names[i] as readonly string[]
      if (own.length === 0) return NO_OIDS
      const from = places[i] as number
      const [first = ''] = own
      if (own.length === 1) return { [first]: oidAt(from) }
      return Object.fromEntries(own.map((name, n) => [name, oidAt(from + OID * n)]))
    }
  })
  if (place !== oids.length) throw new RangeError('there are more or fewer oids than names')
  return [branches, labels, agents] as [MapOf, MapOf, MapOf]
}
