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
      await shell.type('sess rev-list 3b1f 3b1f/at-4aa71938 --count'),
      await shell.type('sess rev-list 3b1f..3b1f'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess rev-list 3b1f -n 3
    663a572479c485f898438f0628e045a5e59bd04c7049b69322039664f4beb748
    9e818d842cb862a99c8d56441e173c858a7f8bdf966b9d2120d15d1ef93a76e1
    4d0956023c4a312c872592d0791b2c140e2de2476250345bf41227472bace631
    $ sess rev-list c7d0..3b1f
    663a572479c485f898438f0628e045a5e59bd04c7049b69322039664f4beb748
    9e818d842cb862a99c8d56441e173c858a7f8bdf966b9d2120d15d1ef93a76e1
    4d0956023c4a312c872592d0791b2c140e2de2476250345bf41227472bace631
    43f5ff28723706b73954fae26dc199c1e3c2cf3e3544aab2ed1dd646f978097f
    753c6d8420256785167a6010c48b121fb30a4cc7e72b72397aafbceb0060974f
    8c18fd7139472acb8658d68a84fae42ccaa0194116d66d30173f69fda1b87c63
    $ sess rev-list c7d0...3b1f --count
    10
    $ sess rev-list 3b1f ^c7d0 --parents
    663a572479c485f898438f0628e045a5e59bd04c7049b69322039664f4beb748 9e818d842cb862a99c8d56441e173c858a7f8bdf966b9d2120d15d1ef93a76e1
    9e818d842cb862a99c8d56441e173c858a7f8bdf966b9d2120d15d1ef93a76e1 4d0956023c4a312c872592d0791b2c140e2de2476250345bf41227472bace631
    4d0956023c4a312c872592d0791b2c140e2de2476250345bf41227472bace631 43f5ff28723706b73954fae26dc199c1e3c2cf3e3544aab2ed1dd646f978097f
    43f5ff28723706b73954fae26dc199c1e3c2cf3e3544aab2ed1dd646f978097f 753c6d8420256785167a6010c48b121fb30a4cc7e72b72397aafbceb0060974f
    753c6d8420256785167a6010c48b121fb30a4cc7e72b72397aafbceb0060974f 8c18fd7139472acb8658d68a84fae42ccaa0194116d66d30173f69fda1b87c63
    8c18fd7139472acb8658d68a84fae42ccaa0194116d66d30173f69fda1b87c63 5cad141afe9a46ba0ee55aa84cf097594d6e91d13e3307b488b012fcf2c76486
    $ sess rev-list c7d0..3b1f --reverse
    8c18fd7139472acb8658d68a84fae42ccaa0194116d66d30173f69fda1b87c63
    753c6d8420256785167a6010c48b121fb30a4cc7e72b72397aafbceb0060974f
    43f5ff28723706b73954fae26dc199c1e3c2cf3e3544aab2ed1dd646f978097f
    4d0956023c4a312c872592d0791b2c140e2de2476250345bf41227472bace631
    9e818d842cb862a99c8d56441e173c858a7f8bdf966b9d2120d15d1ef93a76e1
    663a572479c485f898438f0628e045a5e59bd04c7049b69322039664f4beb748
    $ sess rev-list 3b1f --reverse -n 2
    9e818d842cb862a99c8d56441e173c858a7f8bdf966b9d2120d15d1ef93a76e1
    663a572479c485f898438f0628e045a5e59bd04c7049b69322039664f4beb748
    $ sess rev-list --all --count
    56
    $ sess rev-list 3b1f --first-parent --count
    18
    $ sess rev-list 3b1f 3b1f/at-4aa71938 --count
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
    {"oid":"663a572479c485f898438f0628e045a5e59bd04c7049b69322039664f4beb748"}
    {"oid":"9e818d842cb862a99c8d56441e173c858a7f8bdf966b9d2120d15d1ef93a76e1"}
    $ sess rev-list 3b1f -n 1 --parents --json
    {"oid":"663a572479c485f898438f0628e045a5e59bd04c7049b69322039664f4beb748","parents":["9e818d842cb862a99c8d56441e173c858a7f8bdf966b9d2120d15d1ef93a76e1"]}
    $ sess rev-list --all --count --json
    {"count":56}
    $ sess rev-list 3b1f -n 2 -z
    663a572479c485f898438f0628e045a5e59bd04c7049b69322039664f4beb748␀9e818d842cb862a99c8d56441e173c858a7f8bdf966b9d2120d15d1ef93a76e1␀"
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
    ! sess: option '-n, --max-count <n>' argument 'few' is invalid. It is not a whole number
    ! hint: type 'sess help rev-list' to see how it is used
    exit 2
    $ sess rev-list ^3b1f
    "
  `)
})
