// Moves the ref `a` of a store on by one, as often as asked, and says when it is done.
// node write.mjs BUILD STORE TIMES
const [, , build, dir, times] = process.argv
const { Repo } = await import(`${build}/repo/repo.js`)
const repo = await Repo.open(dir, { lockTimeout: 20_000 })
for (let i = 0; i < Number(times); i++)
  await repo.write({}, async ({ reader, move }) => {
    const now = await reader.ref('a')
    move('a', now, (now ?? 0) + 1)
  })
await repo.close()
process.stdout.write('done\n')
