import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

it('gives the oids that revisions reach', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    [
      await shell.type('sess rev-list 3b1f -n 3'),
      await shell.type('sess rev-list c7d0..3b1f'),
      await shell.type('sess rev-list c7d0...3b1f --count'),
      await shell.type('sess rev-list 3b1f ^c7d0 --parents'),
      await shell.type('sess rev-list c7d0..3b1f --reverse'),
      await shell.type('sess rev-list 3b1f --reverse -n 2'),
      await shell.type('sess rev-list --all --count'),
      await shell.type('sess rev-list 3b1f --first-parent --count'),
      await shell.type('sess rev-list 3b1f 3b1f/at-1d9fca05 --count'),
      await shell.type('sess rev-list 3b1f..3b1f'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess rev-list 3b1f -n 3
    98c5e71acd891047e22327f00a02dc1fe93c5c198ac6cdb249082933b58f9be4
    6b65079442994a9a7771eb6b6b0e55d3cde436016a44d77499b96900e6feb3e7
    c15253199e9a85a569ee3beaef9e3c9cf2fe08660a21faa86e152fa911b6f5d4
    $ sess rev-list c7d0..3b1f
    98c5e71acd891047e22327f00a02dc1fe93c5c198ac6cdb249082933b58f9be4
    6b65079442994a9a7771eb6b6b0e55d3cde436016a44d77499b96900e6feb3e7
    c15253199e9a85a569ee3beaef9e3c9cf2fe08660a21faa86e152fa911b6f5d4
    044940b6dd9c1146318c95c591c87c5cf11e3849755e1de6c29631305f0b712d
    8d9c0e3aabd738e9667a480b3e9a90ac6805451b5e3d3b6a94e75298551a7a42
    3449d597a66dc2c1d40dfa24c098fbbec5fe0f31e0dd940b0a4a85ddfc90be49
    $ sess rev-list c7d0...3b1f --count
    10
    $ sess rev-list 3b1f ^c7d0 --parents
    98c5e71acd891047e22327f00a02dc1fe93c5c198ac6cdb249082933b58f9be4 6b65079442994a9a7771eb6b6b0e55d3cde436016a44d77499b96900e6feb3e7
    6b65079442994a9a7771eb6b6b0e55d3cde436016a44d77499b96900e6feb3e7 c15253199e9a85a569ee3beaef9e3c9cf2fe08660a21faa86e152fa911b6f5d4
    c15253199e9a85a569ee3beaef9e3c9cf2fe08660a21faa86e152fa911b6f5d4 044940b6dd9c1146318c95c591c87c5cf11e3849755e1de6c29631305f0b712d
    044940b6dd9c1146318c95c591c87c5cf11e3849755e1de6c29631305f0b712d 8d9c0e3aabd738e9667a480b3e9a90ac6805451b5e3d3b6a94e75298551a7a42
    8d9c0e3aabd738e9667a480b3e9a90ac6805451b5e3d3b6a94e75298551a7a42 3449d597a66dc2c1d40dfa24c098fbbec5fe0f31e0dd940b0a4a85ddfc90be49
    3449d597a66dc2c1d40dfa24c098fbbec5fe0f31e0dd940b0a4a85ddfc90be49 250fc9e939f7238a0bd2a3e328aaf2c4a5ac8414a0aa90d245a089d92ab73efc
    $ sess rev-list c7d0..3b1f --reverse
    3449d597a66dc2c1d40dfa24c098fbbec5fe0f31e0dd940b0a4a85ddfc90be49
    8d9c0e3aabd738e9667a480b3e9a90ac6805451b5e3d3b6a94e75298551a7a42
    044940b6dd9c1146318c95c591c87c5cf11e3849755e1de6c29631305f0b712d
    c15253199e9a85a569ee3beaef9e3c9cf2fe08660a21faa86e152fa911b6f5d4
    6b65079442994a9a7771eb6b6b0e55d3cde436016a44d77499b96900e6feb3e7
    98c5e71acd891047e22327f00a02dc1fe93c5c198ac6cdb249082933b58f9be4
    $ sess rev-list 3b1f --reverse -n 2
    6b65079442994a9a7771eb6b6b0e55d3cde436016a44d77499b96900e6feb3e7
    98c5e71acd891047e22327f00a02dc1fe93c5c198ac6cdb249082933b58f9be4
    $ sess rev-list --all --count
    56
    $ sess rev-list 3b1f --first-parent --count
    18
    $ sess rev-list 3b1f 3b1f/at-1d9fca05 --count
    22
    $ sess rev-list 3b1f..3b1f
    "
  `)
})

it('gives scripts lines of JSON, or NULs', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    [
      await shell.type('sess rev-list 3b1f -n 2 --json'),
      await shell.type('sess rev-list 3b1f -n 1 --parents --json'),
      await shell.type('sess rev-list --all --count --json'),
      await shell.type('sess rev-list 3b1f -n 2 -z'),
    ]
      .join('')
      .replaceAll('\0', '␀'),
  ).toMatchInlineSnapshot(`
    "$ sess rev-list 3b1f -n 2 --json
    {"oid":"98c5e71acd891047e22327f00a02dc1fe93c5c198ac6cdb249082933b58f9be4"}
    {"oid":"6b65079442994a9a7771eb6b6b0e55d3cde436016a44d77499b96900e6feb3e7"}
    $ sess rev-list 3b1f -n 1 --parents --json
    {"oid":"98c5e71acd891047e22327f00a02dc1fe93c5c198ac6cdb249082933b58f9be4","parents":["6b65079442994a9a7771eb6b6b0e55d3cde436016a44d77499b96900e6feb3e7"]}
    $ sess rev-list --all --count --json
    {"count":56}
    $ sess rev-list 3b1f -n 2 -z
    98c5e71acd891047e22327f00a02dc1fe93c5c198ac6cdb249082933b58f9be4␀6b65079442994a9a7771eb6b6b0e55d3cde436016a44d77499b96900e6feb3e7␀"
  `)
})

it('says what it needs', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    [
      await shell.type('sess rev-list'),
      await shell.type('sess rev-list 3b1f..nothing'),
      await shell.type('sess rev-list -n few 3b1f'),
      await shell.type('sess rev-list ^3b1f'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess rev-list
    ! sess: no revision was named
    ! hint: type 'sess rev-list SESSION', or 'sess rev-list --all'
    exit 2
    $ sess rev-list 3b1f..nothing
    ! sess: no session or entry is called 'nothing'
    ! hint: type 'sess ls' to see the sessions
    exit 1
    $ sess rev-list -n few 3b1f
    ! sess: '--max-count' takes a whole number, not 'few'
    ! hint: type 'sess help rev-list' to see how it is used
    exit 2
    $ sess rev-list ^3b1f
    "
  `)
})
