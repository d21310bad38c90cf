// Appends a message, prints the name of the socket on which it answers, and has nothing else to do: it ends by itself.
// node idle.mjs BUILD STORE SESSION [ANSWERS]
const [, , build, dir, session, answers] = process.argv
const { openStore } = await import(`${build}/index.js`)
const { readHolder } = await import(`${build}/storage/directory/holder.js`)
const store = await openStore(dir, { lockTimeout: 20_000 })
const own = await store.session(session)
await own.append({ body: { role: 'user', content: 'idle' } })
while (!readHolder(dir).socket) await new Promise((resolve) => setTimeout(resolve, 5))
process.stdout.write(`${readHolder(dir).socket}\n`)
if (answers) for await (const _ of process.stdin);
