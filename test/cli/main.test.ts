import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { failing, Shell } from '../support/shell.ts'

it('shows the commands', async () => {
  const shell = new Shell()
  const help = await shell.run('sess')
  expect(help.stdout).toMatchInlineSnapshot(`
    "Usage: sess [options] COMMAND

    git for agent conversations

    Options:
      --store <dir>             the folder of the store
      --json                    print JSON: one object, or one per line for lists
      --lock-timeout <seconds>  how long to wait for a store that is in use (5)
      --at-op <op>              read the store as of an operation or a time
      --no-color                do not use colours
      --no-pager                do not use a pager
      -V, --version             print the version
      -h, --help                show help

    Start:
      init                      create a store in this folder
      import                    import session files of agents
      watch                     import continuously what agents write
      setup                     have agents keep their sessions in the store while they work
      run                       start an agent, and keep its session while it runs
      export                    export a session, byte for byte or in another format
      migrate                   convert a session file to another version of its format

    Inspect:
      browse                    look at sessions and their trees on the terminal
      pick                      choose a session or an entry, and print its id
      serve                     serve the store to a browser and to programs
      ls                        list the sessions
      read                      read a conversation, from its beginning on
      log                       show the entries of a session, newest first
      tree                      draw sessions as trees
      show                      show entries in full
      diff                      show where two branches diverge and what each side added
      compare                   compare branches by tokens, cost, time, tools and errors
      context                   show the context that the model sees
      handoff                   write a briefing for a new session
      resume                    show or run the command that resumes a session in its agent

    Search:
      search                    search the text of all sessions
      mcp                       serve the sessions as tools to an agent

    Change:
      append                    add entries to a session from standard input
      compact                   replace the start of a path by a summary
      fork                      start a session from any entry, sharing its history
      branch                    list, create, delete or rename branches
      switch                    switch a session to another branch or entry
      navigate                  go to an entry; for a user message, to before it
      pop                       go back on the path, leaving a summary of what follows
      label                     label an entry, or list the labels
      rename                    change the title of a session
      set                       set properties of a session
      mv                        record that a project folder moved
      rm                        remove sessions from the list

    Combine and edit:
      cherry-pick               append entries of another branch to a branch
      rebase                    move a branch onto another entry
      merge                     merge another branch into a branch
      edit                      drop, reword, squash or reorder entries on a new branch
      swarm                     let agents try one task on several branches, and compare them

    Undo:
      undo                      undo the last command, or another one
      redo                      redo what was undone
      op                        list, show and restore operations
      reflog                    show former values of a branch, label or HEAD

    The store:
      stats                     show statistics of the store
      formats                   show which versions of agents are known, and what is not understood
      fsck                      check the store, and repair it
      backup                    back up the store, verify or restore a backup
      gc                        remove unreachable data, and pack the rest
      config                    show and change settings

    Secrets:
      scan                      find keys and tokens in the store
      redact                    copy a session with its secrets masked
      expunge                   remove content from the store permanently

    For scripts:
      rev-parse                 print the oids of revisions
      rev-list                  print the oids that revisions reach
      merge-base                print the best common ancestor of two revisions
      hash-object               compute the oids of entries, or store the entries
      cat-file                  print entries as JSON
      for-each-ref              list refs
      update-ref                update refs atomically
      ls-objects                list every entry, reachable or not
      hook                      import what an agent says that it wrote; for hooks of agents
      statusline                print the statusline of a session of Claude Code

    Help:
      help                      show help on a command or a topic
      completion                print the completion script of a shell

    Topics, for sess help TOPIC:
      revisions    how to name sessions and entries
      revsets      how to say which entries are meant, for sess log -r
      templates    how to say what is shown of entries, for sess log -T
      json         what commands print for programs, and its JSON Schemas
      plumbing     the commands for scripts
      exit-codes   what the exit code of a command says
      colors       what colours mean
      environment  the variables that sess looks at
    "
  `)
  for (const line of ['sess help', 'sess --help', 'sess -h'])
    expect(await shell.run(line)).toMatchObject({ code: 0, stdout: help.stdout, stderr: '' })
})

it('guesses what was meant', async () => {
  const shell = new Shell()
  expect(
    [
      await shell.type('sess lgo'),
      await shell.type('sess ipmort sessions'),
      await shell.type('sess log --al x'),
      await shell.type('sess --jsn ls'),
      await shell.type('sess help exitcodes'),
      await shell.type('sess help nothing-like-it'),
      await shell.type('sess --store x'),
      await shell.type('sess log a b'),
      await shell.type('sess --lock-timeout soon ls'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess lgo
    ! sess: unknown command 'lgo'
    ! hint: did you mean 'log'? type 'sess help' to see the commands
    exit 2
    $ sess ipmort sessions
    ! sess: unknown command 'ipmort'
    ! hint: did you mean 'import'? type 'sess help' to see the commands
    exit 2
    $ sess log --al x
    ! sess: unknown option '--al'
    ! hint: did you mean '--all'? type 'sess help log' to see how it is used
    exit 2
    $ sess --jsn ls
    ! sess: unknown option '--jsn'
    ! hint: did you mean '--json'? type 'sess help ls' to see how it is used
    exit 2
    $ sess help exitcodes
    ! sess: there is no command 'exitcodes'
    ! hint: did you mean 'exit-codes'? type 'sess help' to see the commands
    exit 2
    $ sess help nothing-like-it
    ! sess: there is no command 'nothing-like-it'
    ! hint: type 'sess help' to see the commands
    exit 2
    $ sess --store x
    ! sess: no command was given
    ! hint: type 'sess help' to see the commands
    exit 2
    $ sess log a b
    ! sess: no store at '/home/ada/.local/share/sess'
    ! hint: type 'sess import' to import the sessions of this machine, or 'sess init' to create an empty store
    exit 1
    $ sess --lock-timeout soon ls
    ! sess: '--lock-timeout' takes a number of seconds, not 'soon'
    ! hint: type 'sess help ls' to see how it is used
    exit 2
    "
  `)
})

it('tells scripts in one line what was wrong', async () => {
  const shell = new Shell()
  await shell.run('sess init')
  expect(
    [
      await shell.type('sess log nothing --json'),
      await shell.type('sess lgo --json'),
      await shell.type('sess log -n x --json'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess log nothing --json
    ! {"error":{"code":"no-revision","kind":"user","message":"no session or entry is called 'nothing'","hint":"there are no sessions yet: type 'sess import' to import those of this machine","retryable":false}}
    exit 1
    $ sess lgo --json
    ! {"error":{"code":"bad-usage","kind":"usage","message":"unknown command 'lgo'","hint":"did you mean 'log'? type 'sess help' to see the commands","retryable":false}}
    exit 2
    $ sess log -n x --json
    ! {"error":{"code":"bad-usage","kind":"usage","message":"'--limit' takes a whole number, not 'x'","hint":"type 'sess help log' to see how it is used","retryable":false}}
    exit 2
    "
  `)
})

it('guesses names of sessions and branches', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    [
      await shell.type('sess log 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b41'),
      await shell.type('sess log tide'),
      await shell.type('sess log 3b1f6a20/mian'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess log 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b41
    ! sess: no session or entry is called '3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b41'
    ! hint: did you mean '3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14'? type 'sess ls' to see the sessions
    exit 1
    $ sess log tide
    ! sess: no session or entry is called 'tide'
    ! hint: did you mean 'Tide table one hour off' or 'Tide table one hour off (fork)'? type 'sess ls' to see the sessions
    exit 1
    $ sess log 3b1f6a20/mian
    ! sess: no session or entry is called '3b1f6a20/mian'
    ! hint: did you mean '3b1f6a20/main'? type 'sess branch 3b1f6a20' to see its branches
    exit 1
    "
  `)
})

it('shows help on a command and on topics', async () => {
  const shell = new Shell()
  const help = await shell.run('sess help append')
  expect(help.stdout).toMatchInlineSnapshot(`
    "Usage: sess append [options] [session]

    add entries to a session from standard input

    Arguments:
      session            its id, title, or a prefix of its id

    Options:
      --new              create a session and print its id first
      --title <title>    with --new: the title of the session
      --branch <branch>  a branch of the session; its current branch by default
      --role <role>      read standard input as the text of one message with this role
      -n, --dry-run      show what would change; write nothing
      -h, --help         show help

    Each line of standard input is one JSON object {"type","body"}. The type defaults to sess/message,
    whose body is {"role","content"}: a role of user, assistant, tool or system, and a text or a list of
    blocks. The oid of each entry is printed once the entry is durable. The first invalid line ends the
    command; the entries printed before it stay. Other processes can use the store while append waits
    for input.

    Examples:
      echo 'Try it without a cache.' | sess append 3b1f --role user
          append a message to a session
      echo '{"type":"agent_action","body":{"action":"complete","agentId":"a1"}}' | sess append 3b1f --branch at-1d9fca05
          append to a branch of a session
      echo '{"body":{"role":"user","content":"Hi"}}' | sess append --new --title Greeting
          start a session
    "
  `)
  expect((await shell.run('sess append --help')).stdout).toBe(help.stdout)
  expect((await shell.run('sess help help')).code).toBe(0)
  expect((await shell.run('sess help plumbing')).stdout).toMatch(
    /^Plumbing.*\n {2}rev-parse {2,}print the oids of revisions\n/s,
  )
  expect((await shell.run('sess help exit-codes')).stdout).toMatchInlineSnapshot(`
    "Exit codes

         0  success; also if the reader of the output went away
         1  user: an error in your data or names: an unknown name, a bad line, a missing path
         2  usage: wrong usage: an unknown command, option or argument
         3  conflict: something changed meanwhile: check it, then repeat the command
         4  busy: the store is in use: repeat the command, or wait longer with --lock-timeout
         5  corrupt: the store is damaged: type 'sess fsck' to see the damage
        70  bug: an internal error of sess: report it with the command that you typed
       130  stopped: stopped by Ctrl-C; 143 if another process ended it

    With --json, an error is the last line of standard error:
      {"error":{"code","kind","message","hint","retryable"}}
    Codes never change; messages may.
    "
  `)
  expect((await shell.run('sess help revisions')).stdout).toMatchInlineSnapshot(`
    "Revisions

    A revision names an entry. It is resolved in this order:
      SESSION            the exact id of a session: its current entry
      @, HEAD            the current session: $SESS_SESSION, the one that 'sess switch'
                         chose for this folder, or the newest of the folder
      SESSION/BRANCH     a branch or a label of a session
      BRANCH             a branch or a label of the current session
      TITLE              the exact title of a session
      SESSION:ID         an entry, by the id that its agent gave it
      OID                the oid of an entry, or its first 4 or more digits
      PREFIX             the first characters of a session's id

    Any of these may follow:
      ~N                 its Nth ancestor along first parents
      ^N                 its Nth parent
      @{N}               the value of the branch N moves ago
      @{TIME}            its value at a time: @{yesterday}, @{2h}, @{2026-04-01}

    Ranges, for sess log:
      A..B               entries of B that A lacks
      A...B              entries that only one of the two has

    Revsets select entries by expressions: see sess help revsets.
    "
  `)
})

it('prints its version', async () => {
  const { stdout } = await new Shell().run('sess --version')
  expect(stdout).toMatch(/^sess \d+\.\d+\.\d+\n$/)
})

it('refuses a folder that holds something else', async () => {
  const shell = new Shell()
  mkdirSync(shell.path('other'))
  writeFileSync(shell.path('other/sess.json'), 'no JSON')
  expect(await shell.type('sess --store other ls')).toMatchInlineSnapshot(`
    "$ sess --store other ls
    ! sess: '/home/ada/other' is not a sess store (sess.json is no JSON)
    ! hint: name another folder with --store; nothing was changed
    exit 1
    "
  `)
  expect(await shell.type('sess --store none ls')).toMatchInlineSnapshot(`
    "$ sess --store none ls
    ! sess: no store at '/home/ada/none'
    ! hint: type 'sess import' to import the sessions of this machine, or 'sess init' to create an empty store
    exit 1
    "
  `)
})

it('ends quietly where nobody reads on', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  for (const line of [
    'sess log 3b1f',
    'sess export 3b1f',
    'sess ls --json',
    'sess help',
    'sess import sessions',
  ])
    expect(await shell.run(line, { stdout: failing('EPIPE') })).toMatchObject({ code: 0, stderr: '' })
})

it('says that something is wrong with itself, with the place where that is asked for', async () => {
  const shell = new Shell({ samples: false })
  async function* broken(): AsyncGenerator<string> {
    yield await Promise.reject(new Error('out of paper'))
  }
  const { code, stderr } = await shell.run('sess append --new', {
    stdin: broken(),
    variables: { SESS_DEBUG: '1' },
  })
  expect(stderr.split('\n')[0]).toBe('sess: internal error: out of paper')
  expect(stderr).toContain('main.test.ts')
  expect(code).toBe(70)
})

it('says where the output could not be written', async () => {
  expect(await new Shell().type('sess help', { stdout: failing('ENOSPC') })).toMatchInlineSnapshot(`
    "$ sess help
    ! sess: no space left to write 'the output'
    ! hint: free some space and repeat the command; nothing acknowledged is lost
    exit 1
    "
  `)
})

it('tells of every variable that it looks at', async () => {
  const src = fileURLToPath(new URL('../../src/', import.meta.url))
  const text = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter(
      (file) =>
        /^cli\/.*\.ts$|^verbs\/settings\.ts$|^repo\/(?:location|environment)\.ts$/.test(file) &&
        !file.endsWith('topics.ts'),
    )
    .map((file) => readFileSync(join(src, file), 'utf8'))
    .join('\n')
  const read = [
    ...text.matchAll(/variables\.([A-Z_]+)|(?:(?:name|variable):|folderIn\(variables,) '([A-Z_]{3,})'/g),
  ]
  const names = new Set(read.map(([, direct, listed]) => direct ?? listed ?? ''))
  expect([...names]).toEqual(expect.arrayContaining(['SESS_STORE', 'HOME', 'NO_COLOR', 'COLUMNS']))
  const { stdout } = await new Shell({ samples: false }).run('sess help environment')
  for (const name of names) expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'))
})
