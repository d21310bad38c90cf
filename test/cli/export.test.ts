import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

it('gives every sample back byte for byte', async () => {
  const shell = new Shell()
  const { stdout } = await shell.run('sess import sessions --json')
  const files = stdout.split('\n').slice(0, -2)
  expect(files).toHaveLength(5)
  for (const line of files) {
    const { path, session } = JSON.parse(line) as { path: string; session: string }
    const source = readFileSync(path.replace('/home/ada', shell.dir), 'utf8')
    expect((await shell.run(`sess export ${session}`)).stdout).toBe(source)
    expect((await shell.run(`sess export ${session} --bytes 100`)).stdout).toBe(source.slice(0, 100))
  }
})

it('writes to a new file for the user alone, and overwrites none', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions/pi')
  expect(
    [
      await shell.type('sess export 019d4e07 --out copy.jsonl'),
      await shell.type('sess export 019d4e07 --out copy.jsonl --bytes 3'),
      await shell.type('sess export 019d4e07 --out other.jsonl --bytes 3 --json'),
      await shell.type('sess export 019d4e07 --out no/such/folder'),
      await shell.type('sess export nothing --out none.jsonl'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess export 019d4e07 --out copy.jsonl
    ! Wrote 5926 bytes to /home/ada/copy.jsonl
    $ sess export 019d4e07 --out copy.jsonl --bytes 3
    ! sess: '/home/ada/copy.jsonl' exists already
    ! hint: choose another file; nothing was overwritten
    exit 1
    $ sess export 019d4e07 --out other.jsonl --bytes 3 --json
    {"session":"019d4e07","path":"/home/ada/other.jsonl","bytes":3,"replaced":null,"losses":[]}
    $ sess export 019d4e07 --out no/such/folder
    ! sess: '/home/ada/no/such/folder' could not be written (ENOENT: no such file or directory, open '/home/ada/no/such/folder')
    ! hint: check the folder and its permissions; nothing acknowledged is lost
    exit 1
    $ sess export nothing --out none.jsonl
    ! sess: no session is called 'nothing'
    ! hint: type 'sess ls' to see the sessions
    exit 1
    "
  `)
  const [name = ''] = readdirSync(shell.path('sessions/pi'))
  expect(shell.read('copy.jsonl')).toBe(shell.read('sessions/pi', name))
  expect(statSync(shell.path('copy.jsonl')).mode & 0o777).toBe(0o600)
  expect(existsSync(shell.path('none.jsonl'))).toBe(false)
})

it('writes a session that was made here as lines that import to the same oids', async () => {
  const shell = new Shell({ samples: false })
  await shell.run('sess append --new --title made', { stdin: ['{"body":{"role":"user","content":"hi"}}'] })
  const { stdout } = await shell.run('sess export made')
  writeFileSync(shell.path('made.jsonl'), stdout)
  const elsewhere = `--store ${join(shell.dir, 'other')}`
  await shell.run(`sess import made.jsonl ${elsewhere}`)
  expect((await shell.run(`sess rev-parse made ${elsewhere}`)).stdout).toBe(
    (await shell.run('sess rev-parse made')).stdout,
  )
  expect(stdout).toMatchInlineSnapshot(`
    "{"oid":"fa6e8770783c4a4a18c71ca57e5e4887d54ea1ad2e1c5102240a872c19702817","parents":[],"type":"sess/message","body":{"role":"user","content":"hi"},"time":"2026-05-01T12:00:00.000Z","session":"019de368-f600-7617-9819-1a1b1c1d1e1f","title":"made","cwd":"/home/ada"}
    "
  `)
})

it('writes a session as another agent has it, and says what that does not carry', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    [
      await shell.type('sess export 019d4e07 --format claude-code --out claude.jsonl'),
      await shell.type('sess export 3b1f --format pi --out pi.jsonl'),
      await shell.type('sess export 3b1f --format codex --out codex.jsonl --json'),
      await shell.type('sess export 3b1f --format codex --bytes 0'),
      await shell.type('sess export 3b1f --format codex --bytes 0 --json'),
      await shell.type('sess export 3b1f --format word'),
      await shell.type('sess import claude.jsonl pi.jsonl codex.jsonl'),
      await shell.type('sess log 019d4e07 -n 3'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess export 019d4e07 --format claude-code --out claude.jsonl
    ! Wrote 7744 bytes to /home/ada/claude.jsonl
    ! not written: setting (2)  the format has no such setting: 0b1a5a0e87, bf269ecd56
    ! not written: label (1)  the format has no place for this label: before-cache
    $ sess export 3b1f --format pi --out pi.jsonl
    ! Wrote 8631 bytes to /home/ada/pi.jsonl
    $ sess export 3b1f --format codex --out codex.jsonl --json
    {"session":"3b1f","path":"/home/ada/codex.jsonl","bytes":6658,"replaced":null,"losses":[{"code":"branch","message":"the format holds one path: this branch is left out","count":1,"entries":["eeb9681aa7fcd10088f38ac560f4bea00a4a15cb33232668f9ebd8dc3942b898"],"subjects":["at-1d9fca05"]},{"code":"thinking","message":"thinking is left out: only its own model accepts it","count":1,"entries":["79f0d57db6bc2d134611e0df6f6745bfcafa7bb2ea3297cef95be5fd93523bc7"],"subjects":[]}]}
    $ sess export 3b1f --format codex --bytes 0
    ! not written: branch (1)  the format holds one path: this branch is left out: at-1d9fca05
    ! not written: thinking (1)  thinking is left out: only its own model accepts it: 79f0d57db6
    $ sess export 3b1f --format codex --bytes 0 --json
    ! {"losses":[{"code":"branch","message":"the format holds one path: this branch is left out","count":1,"entries":["eeb9681aa7fcd10088f38ac560f4bea00a4a15cb33232668f9ebd8dc3942b898"],"subjects":["at-1d9fca05"]},{"code":"thinking","message":"thinking is left out: only its own model accepts it","count":1,"entries":["79f0d57db6bc2d134611e0df6f6745bfcafa7bb2ea3297cef95be5fd93523bc7"],"subjects":[]}]}
    $ sess export 3b1f --format word
    ! sess: '--format' takes sess, claude-code, codex, dash, rollouts, rollouts-folder, index-tree, uuid-tree, oh-my-pi, pi, pi-v1, pi-v2, pi-v4, gemini-cli, kilo, opencode, opencode-files, opencode-database, jsonl, markdown or html, not 'word'
    ! hint: type 'sess help export' to see how it is used
    exit 2
    $ sess import claude.jsonl pi.jsonl codex.jsonl
    claude.jsonl
      claude-code session 019d4e07-5b20-7d11-a6c2-93e1f04b7a65: 13 entries in 15 records, nothing new
      it was exported from that session, which continues with the new entries
    pi.jsonl
      pi session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14: 18 entries in 20 records, nothing new
      it was exported from that session, which continues with the new entries
    codex.jsonl
      codex session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14: 17 entries in 27 records, nothing new
      it was exported from that session, which continues with the new entries
    3 files, 23.0 kB, 2 sessions: 48 entries in 62 records, nothing new
    $ sess log 019d4e07 -n 3
    d46180147d  2026-04-02 07:31  assistant  (*main) All three use \`daily\` now. The slowest, Saint-Malo…
    dd442d3969  2026-04-02 07:31  user       Do the same for all harbours.
    283d4aa753  2026-04-02 07:31  -          [compaction]  The forecast for Brest took 3.9 s because ha…
    "
  `)
})

it('writes a branch, what stands below an entry, and a path to an entry', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  const oidsIn = (text: string): number => text.trim().split('\n').length
  const all = await shell.run('sess export 3b1f --format sess')
  expect(oidsIn(all.stdout)).toBe(22)
  for (const [options, lines] of [
    ['3b1f --branch at-1d9fca05', 12],
    ['3b1f --below c237dd02', 22],
    ['3b1f --below c237dd02 --bare', 15],
    ['3b1f --below 65c1f191', 18],
    ['3b1f --below 65c1f191 --bare', 10],
    ['3b1f~4', 14],
    ['65c1f191', 9],
  ] as const)
    expect([options, oidsIn((await shell.run(`sess export ${options} --format sess`)).stdout)]).toEqual([
      options,
      lines,
    ])
  expect(
    [
      await shell.type('sess export 3b1f --branch nowhere'),
      await shell.type('sess export 3b1f --below 019d4e07'),
      await shell.type('sess export 3b1f --bare'),
      await shell.type('sess export 3b1f --branch main --below 65c1f191'),
      await shell.type('sess export 3b1f --force'),
      await shell.type('sess export 3b1f --branch at-1d9fca05 --out part.jsonl'),
      await shell.type('sess export 3b1f --branch main --out part.jsonl'),
      await shell.type('sess export 3b1f --branch main --out part.jsonl --force -n'),
      await shell.type('sess export 3b1f --branch main --out part.jsonl --force'),
      await shell.type('sess export 3b1f --out sessions --force'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess export 3b1f --branch nowhere
    ! sess: no branch is called '3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/nowhere'
    ! hint: it has at-1d9fca05, main; type 'sess branch SESSION' to see its branches
    exit 1
    $ sess export 3b1f --below 019d4e07
    ! sess: there is no entry '019d4e07' (not in '3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14')
    ! hint: type 'sess log SESSION' to see a session's entries
    exit 1
    $ sess export 3b1f --bare
    ! sess: '--bare' needs '--below'
    ! hint: type 'sess help export' to see how it is used
    exit 2
    $ sess export 3b1f --branch main --below 65c1f191
    ! sess: '--branch' and '--below' exclude each other
    ! hint: type 'sess help export' to see how it is used
    exit 2
    $ sess export 3b1f --force
    ! sess: '--force' needs '--out' or '--to-agent'
    ! hint: type 'sess help export' to see how it is used
    exit 2
    $ sess export 3b1f --branch at-1d9fca05 --out part.jsonl
    ! Wrote 8257 bytes to /home/ada/part.jsonl
    $ sess export 3b1f --branch main --out part.jsonl
    ! sess: '/home/ada/part.jsonl' exists already
    ! hint: choose another file; nothing was overwritten
    exit 1
    $ sess export 3b1f --branch main --out part.jsonl --force -n
    ! would write 12397 bytes to /home/ada/part.jsonl, replacing 8257 bytes
    ! dry run: nothing was written
    $ sess export 3b1f --branch main --out part.jsonl --force
    ! Wrote 12397 bytes to /home/ada/part.jsonl, replacing 8257 bytes
    $ sess export 3b1f --out sessions --force
    ! Wrote 15571 bytes to /home/ada/sessions/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14.jsonl
    "
  `)
})

it('gives the files of a session that came as several, each under its name', async () => {
  const shell = new Shell()
  const files = {
    'session/prj/ses_1.json': '{"id":"ses_1","projectID":"prj","directory":"/home/ada","title":"Kites"}',
    'message/ses_1/msg_1.json': '{ "id": "msg_1", "sessionID": "ses_1", "role": "user" }\n',
    'part/msg_1/prt_1.json': '{"id":"prt_1","messageID":"msg_1","type":"text","text":"Which wind?"}',
    'todo/ses_1.json': '[]',
  }
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(shell.path(`storage/${file}`)), { recursive: true })
    writeFileSync(shell.path(`storage/${file}`), text)
  }
  expect(
    [
      await shell.type('sess import storage'),
      await shell.type('sess export ses_1 --out back'),
      await shell.type('sess export ses_1 --out back'),
      await shell.type('sess export ses_1 --out other --force'),
      await shell.type('sess export ses_1 --out other -n --json'),
      await shell.type('sess export ses_1 --format dash --out back'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess import storage
    storage#ses_1
      opencode session ses_1: 1 entry in 3 records, all new
    1 file, 372 bytes, 1 session: 1 entry in 3 records, all new
    $ sess export ses_1 --out back
    ! Wrote 4 files, 199 bytes, to /home/ada/back
    $ sess export ses_1 --out back
    ! sess: '/home/ada/back/session/prj/ses_1.json' exists already
    ! hint: choose another file; nothing was overwritten
    exit 1
    $ sess export ses_1 --out other --force
    ! sess: force replaces one file, and this is several
    ! hint: leave it out, and choose a folder that has none of them
    exit 2
    $ sess export ses_1 --out other -n --json
    {"session":"ses_1","path":"/home/ada/other","bytes":199,"replaced":null,"files":4,"losses":[],"dryRun":true}
    ! dry run: nothing was written
    $ sess export ses_1 --format dash --out back
    ! Wrote 373 bytes to /home/ada/back/2026-05-01T12-00-00-000Z_sess_08cc97c9.jsonl
    "
  `)
  for (const [file, text] of Object.entries(files))
    expect(readFileSync(shell.path(`back/${file}`), 'utf8')).toBe(text)
  expect(existsSync(shell.path('other'))).toBe(false)
})
