// Has a store's database and says so; answers whoever asks, and never does what is asked nor lets go of it.
// node stuck.mjs BUILD STORE
const [, , build, dir] = process.argv
const { Repo } = await import(`${build}/repo/repo.js`)
const never = () => new Promise(() => undefined)
const repo = await Repo.open(dir, { works: { append: never }, lockTimeout: 20_000 })
await repo.write({}, ({ move }) => move(`current/${process.pid}`, undefined, { session: 'stuck' }))
setInterval(() => undefined, 10)
await repo.read(() => {
  setTimeout(() => process.stdout.write('held\n'), 100)
  return never()
})
