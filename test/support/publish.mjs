// Does for ever what moves refs and stands in no other script: forks, picks, merges, rebases, pops, renames, imports a
// file that grows, reads it anew, restores, redacts, expunges, removes. Prints a line each time around.
// node publish.mjs BUILD STORE SESSION ROUND
import { appendFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'

const [, , build, dir, session] = process.argv
const { Repo } = await import(`${build}/repo/repo.js`)
const { append } = await import(`${build}/ops/append/append.js`)
const { createBranch } = await import(`${build}/ops/branch.js`)
const { cherryPick } = await import(`${build}/ops/cherrypick.js`)
const { edit } = await import(`${build}/ops/edit.js`)
const { expunge } = await import(`${build}/ops/secrets/expunge.js`)
const { fork } = await import(`${build}/ops/fork.js`)
const { importPaths } = await import(`${build}/ops/import/import.js`)
const { merge } = await import(`${build}/ops/merge.js`)
const { pop } = await import(`${build}/ops/pop.js`)
const { rebase } = await import(`${build}/ops/rebase.js`)
const { redact } = await import(`${build}/ops/secrets/redact.js`)
const { removeSessions } = await import(`${build}/ops/remove.js`)
const { renameSession } = await import(`${build}/ops/rename.js`)
const { rereadSources } = await import(`${build}/ops/reread/reread.js`)
const { restore } = await import(`${build}/ops/operations.js`)
const { setPairs } = await import(`${build}/ops/setkeys.js`)
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
