import { describe, expect, it } from 'vitest'
import type { Oid } from '../../../src/model/encoding/oid.ts'
import type { Json } from '../../../src/model/json.ts'
import {
  awaitedRef,
  blobRef,
  branchRef,
  currentRef,
  exportedRef,
  exportRef,
  expungedBodyRef,
  expungedSecretRef,
  fileRef,
  graftRef,
  headRef,
  labelRef,
  leafRef,
  metaRef,
  nativesRef,
  outputRef,
  type RefName,
  sourceLogRef,
  swarmRef,
  unresolvedRef,
} from '../../../src/model/refname.ts'
import { REF_KINDS } from '../../../src/model/refs/kinds.ts'
import {
  builtValue,
  checkedValue,
  kindOf,
  plainBlobs,
  referencesOf,
  refProblem,
} from '../../../src/model/refs/table.ts'
import { expectFailure } from '../../support/errors.ts'

const hex = (digit: string): Oid => digit.repeat(64) as Oid
const WRITER = '0123456789abcdef'
const log = (number: number) => `${WRITER}.${number}`

const native = { log: log(1), count: 2, entries: 2, hash: hex('e'), earlier: [[log(0), 7]] }
const source = {
  ...{
    log: log(2),
    count: 3,
    entries: 3,
    hash: hex('e'),
    reading: 1,
    bytes: 9,
    sha256: hex('f'),
    salvaged: 0,
  },
  ...{ tail: [hex('1'), hex('2')], packed: [hex('3')], branches: { main: hex('a') } },
  origin: { session: 'x', entry: hex('b') },
}
const meta = {
  format: 'pi',
  agents: { x: hex('a') },
  asks: { y: hex('b') },
  fork: { base: [[log(4), 5]], entries: 1 },
}

/** A ref of each kind: its name, its value, and the oids, logs and blobs that it names. */
const REFS: readonly (readonly [
  name: RefName,
  value: Json,
  oids: readonly Oid[],
  logs?: { readonly [log: string]: number },
  blobs?: readonly Oid[],
])[] = [
  [metaRef('s'), meta, [hex('a'), hex('b')], { [log(4)]: 5 }],
  [headRef('s'), { branch: 'main' }, []],
  [headRef('s'), { oid: hex('a') }, [hex('a')]],
  [headRef('s'), { oid: null }, []],
  [branchRef('s', 'a/b'), hex('a'), [hex('a')]],
  [labelRef('s', 'é'), hex('a'), [hex('a')]],
  [sourceLogRef('s'), source, [hex('a'), hex('b')], { [log(2)]: 3 }, [hex('1'), hex('2'), hex('3')]],
  [nativesRef('s', WRITER), native, [], { [log(1)]: 2, [log(0)]: 7 }],
  [fileRef('s', 'a/b'), source, [hex('a'), hex('b')], { [log(2)]: 3 }, [hex('1'), hex('2'), hex('3')]],
  [
    exportRef('s', 'there'),
    { ...source, format: 'pi', written: [log(5), 6], tip: hex('c') },
    [hex('a'), hex('b'), hex('c')],
    { [log(2)]: 3, [log(5)]: 6 },
    [hex('1'), hex('2'), hex('3')],
  ],
  [leafRef('s'), { bytes: 3, tip: hex('a') }, [hex('a')]],
  [exportedRef('there'), { session: 's' }, []],
  [blobRef(hex('f')), { session: 's' }, []],
  [outputRef(hex('a')), { session: 's', files: { call: 'x.txt' } }, [hex('a')]],
  [currentRef('/work'), { session: 's' }, []],
  [swarmRef('tides/a'), { session: 's', created: 5, members: { x: { session: 's', branch: 'b' } } }, []],
  [graftRef(hex('a')), { parent: hex('b'), native: 'n', session: 's' }, [hex('a'), hex('b')]],
  [unresolvedRef('n', hex('a')), { session: 's', time: 5 }, [hex('a')]],
  [awaitedRef('base', 's'), {}, []],
  [expungedBodyRef(hex('a')), { why: 'x', time: 5 }, []],
  [
    expungedSecretRef('01234567'),
    { why: 'x', time: 5, length: 9, weak: -4, salt: 'ab'.repeat(16), hash: hex('a') },
    [],
  ],
]

describe('the table of the kinds of refs', () => {
  it('has a kind for each name that sess gives', () => {
    const met = new Set(REFS.map(([name]) => kindOf(name)))
    expect(met).toEqual(new Set(REF_KINDS))
  })

  it.each(REFS.map((ref) => [ref[0], ref] as const))('knows what %s names', (_, ref) => {
    const [name, value, oids, logs = {}, blobs = []] = ref
    expect(refProblem(name, value)).toBeUndefined()
    const named = referencesOf(name, value)
    expect([...named.oids].sort()).toEqual(oids)
    expect(Object.fromEntries(named.logs)).toEqual(logs)
    expect([...named.blobs]).toEqual(blobs)
  })

  it('tells compressed blobs from others', () => {
    expect(plainBlobs(sourceLogRef('s'), source as Json)).toEqual([source.tail])
  })

  it.each([
    'sessions/%/meta',
    'sessions/s',
    'sessions/s/native',
    'sessions/s/branches',
    'sessions/s/meta/x',
    'grafts/x',
    'other',
    '',
  ])('has no kind for the name %s', (name) => {
    expect(kindOf(name)).toBeUndefined()
    expect(refProblem(name, hex('a'))).toBe('no kind of refs has such names')
  })

  it.each<readonly [RefName, Json, string]>([
    [labelRef('s', 'x'), {}, ''],
    [branchRef('s', 'x'), 5, ''],
    [branchRef('s', 'x'), 'short', ''],
    [metaRef('s'), 5, ''],
    [metaRef('s'), null, ''],
    [metaRef('s'), {}, '.format'],
    [metaRef('s'), { format: 'pi', title: 5 }, '.title'],
    [
      metaRef('s'),
      {
        ...meta,
        fork: {
          base: [
            [log(4), 5],
            [log(4), -1],
          ],
          entries: 1,
        },
      },
      '.fork.base[1]',
    ],
    [headRef('s'), [], ''],
    [headRef('s'), { oid: 'x' }, '.oid'],
    [nativesRef('s', WRITER), { ...native, log: '4' }, '.log'],
    [nativesRef('s', WRITER), { ...native, earlier: 5 }, '.earlier'],
    [sourceLogRef('s'), native, '.reading'],
    [sourceLogRef('s'), { ...source, tail: ['x'] }, '.tail[0]'],
    [graftRef(hex('a')), { parent: 'x' }, '.native'],
    [outputRef(hex('a')), { session: 's', files: { call: 5 } }, '.files.call'],
  ])('refuses for %s the value %j', async (name, value, at) => {
    expect(refProblem(name, value)).toBe(`its value has another form${at === '' ? '' : ` at '${at}'`}`)
    const { message } = await expectFailure('corrupt', () => checkedValue(name, value))
    expect(message).toContain(`the ref '${name}' cannot be read`)
    expect([...referencesOf(name, value).blobs]).toEqual([])
  })

  it('takes a value that was built for a ref without looking at it, for that ref alone', async () => {
    const value = builtValue(nativesRef('s', WRITER), { log: 'not looked at' })
    expect(refProblem(nativesRef('s', WRITER), value)).toBeUndefined()
    expect(checkedValue(nativesRef('s', WRITER), value)).toBe(value)
    await expectFailure('corrupt', () => checkedValue(nativesRef('t', WRITER), value))
    await expectFailure('corrupt', () => checkedValue(nativesRef('s', WRITER), { ...value }))
  })

  it('takes a value whose optional fields are missing or null', () => {
    const nulls = { format: 'pi', title: null, cwd: null, created: null, native: null, path: null }
    expect(refProblem(metaRef('s'), nulls)).toBeUndefined()
    expect(refProblem(nativesRef('s', WRITER), { ...native, updated: null })).toBeUndefined()
  })
})
