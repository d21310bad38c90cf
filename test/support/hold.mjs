// Opens the database of a store, says so, and holds it until its input ends or for so many milliseconds. Waits for it as
// long as LOCK_TIMEOUT says, in milliseconds.
// node hold.mjs BUILD STORE [MILLISECONDS]
const [, , build, dir, milliseconds] = process.argv
const { openDatabase } = await import(`${build}/storage/leveldb/database.js`)
const since = '2026-01-02T03:04:05.678Z'
const holder = { pid: process.pid, command: 'sess watch', since }
const backend = await openDatabase(dir, { lockTimeout: Number(process.env.LOCK_TIMEOUT ?? 5000), holder })
process.stdout.write('held\n')
if (milliseconds === undefined) for await (const _ of process.stdin);
else await new Promise((resolve) => setTimeout(resolve, Number(milliseconds)))
await backend.close()
