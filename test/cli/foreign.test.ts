import { expect, it } from 'vitest'
import { meantBy } from '../../src/cli/errors/suggest.ts'
import { Shell } from '../support/shell.ts'

it.each([
  ['checkout', ['switch']],
  ['clone', ['fork']],
  ['constructor', []],
  ['nothing', []],
  ['blame', ['log --everywhere -- FILE']],
  ['cost', ['ls --sort cost']],
])('takes %s for %j', (word, commands) => {
  expect(meantBy(word, ['switch', 'fork', 'ls', 'log'])).toEqual(commands)
})

it('says what words of git are here', async () => {
  const shell = new Shell({ samples: false })
  expect(
    [
      await shell.type('sess checkout main'),
      await shell.type('sess list'),
      await shell.type('sess status'),
      await shell.type('sess commit -m x'),
      await shell.type('sess cost'),
      await shell.type('sess usage'),
      await shell.type('sess history'),
      await shell.type('sess blame src/format.js'),
      await shell.type('sess log --session 3b1f'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess checkout main
    ! sess: unknown command 'checkout'
    ! hint: did you mean 'switch'? type 'sess help' to see the commands
    exit 2
    $ sess list
    ! sess: unknown command 'list'
    ! hint: did you mean 'ls'? type 'sess help' to see the commands
    exit 2
    $ sess status
    ! sess: unknown command 'status'
    ! hint: did you mean 'ls' or 'log'? type 'sess help' to see the commands
    exit 2
    $ sess commit -m x
    ! sess: unknown command 'commit'
    ! hint: did you mean 'append'? type 'sess help' to see the commands
    exit 2
    $ sess cost
    ! sess: unknown command 'cost'
    ! hint: did you mean 'stats' or 'ls --sort cost'? type 'sess help' to see the commands
    exit 2
    $ sess usage
    ! sess: unknown command 'usage'
    ! hint: did you mean 'stats' or 'stats --by day'? type 'sess help' to see the commands
    exit 2
    $ sess history
    ! sess: unknown command 'history'
    ! hint: did you mean 'log' or 'op log'? type 'sess help' to see the commands
    exit 2
    $ sess blame src/format.js
    ! sess: unknown command 'blame'
    ! hint: did you mean 'log --everywhere -- FILE'? type 'sess help' to see the commands
    exit 2
    $ sess log --session 3b1f
    ! sess: unknown option '--session'
    ! hint: name the session without it: 'sess log SESSION'
    exit 2
    "
  `)
})
