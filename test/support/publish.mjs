// Does for ever what moves refs and stands in no other script: forks, picks, merges, rebases, pops, renames, imports a
// file that grows, reads it anew, restores, redacts, expunges, removes. Prints a line each time around.
// node publish.mjs BUILD STORE SESSION ROUND
import { appendFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'

const [, , build, dir, session] = process.argv
const op = (name) => import(`${build}/ops/${name}.js`)
const { Repo } = await import(`${build}/repo/repo.js`)
const { append } = await op('append/append')
const { createBranch } = await op('branch')
const { cherryPick } = await op('cherrypick')
const { edit } = await op('edit')
const { expunge } = await op('secrets/expunge')
const { fork } = await op('fork')
const { importPaths } = await op('import/import')
const { merge } = await op('merge')
const { pop } = await op('pop')
const { rebase } = await op('rebase')
const { redact } = await op('secrets/redact')
const { removeSessions } = await op('remove')
const { renameSession } = await op('rename')
const { rereadSources } = await op('reread/reread')
const { restore } = await op('operations')
const { setPairs } = await op('setkeys')
const repo = await Repo.open(dir, { lockTimeout: 60_000 })
const file = join(dir, '..', 'grows.jsonl')
const says = (content) => [{ body: { role: 'user', content } }]
const find = (text) =>
  [...text.matchAll(/told \d+/g)].map(({ index, 0: secret }) => ({ index, secret, rule: 'told' }))
const newest = () => repo.read(async (reader) => (await reader.operationLog()).latest)
writeSync(1, 'ready\n')
for (let n = 0; ; n++) {
  await append(repo, session, says(`before ${n}`))
  await createBranch(repo, session, `side-${n}`)
  const [oid] = await append(repo, session, says(`aside ${n}`), { branch: `side-${n}` })
  await append(repo, session, says(`ahead ${n}`))
  await cherryPick(repo, [oid], { onto: `${session}/main` })
  await rebase(repo, `${session}/main`, { branch: `${session}/side-${n}` })
  await merge(repo, `${session}/side-${n}`, { into: `${session}/main` })
  const { session: copy } = await fork(repo, session)
  await append(repo, copy, says(`told ${n}`))
  await renameSession(repo, copy, `copy ${n}`)
  await setPairs(repo, copy, { n: `${n}` })
  await pop(repo, `${copy}~1`, { session: copy })
  await redact(repo, copy, { find })
  appendFileSync(file, `${JSON.stringify({ role: 'user', content: `grows ${n}` })}\n`)
  const { files } = await importPaths(repo, [file])
  await rereadSources(repo, [files[0].session])
  if (n % 4 === 3) await expunge(repo, { entries: [oid], force: true })
  else await restore(repo, `${await newest()}`)
  await removeSessions(repo, [copy])
  await edit(repo, `${session}~1`, [])
  writeSync(1, `${n}\n`)
}
