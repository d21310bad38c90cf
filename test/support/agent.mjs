// Appends to a branch of a session as one of several agents: what it does first and last, and between what it says.
// node agent.mjs BUILD STORE SESSION BRANCH COUNT
const [, , build, dir, session, branch, count] = process.argv
const { openStore } = await import(`${build}/index.js`)
const store = await openStore(dir, { lockTimeout: 60_000 })
const own = await store.session(session)
const does = (action) => own.append({ type: 'agent_action', body: { action, agentId: branch } }, { branch })
await does('spawn')
for (let n = 0; n < Number(count); n++)
  await own.append({ body: { role: 'assistant', content: `${branch} ${n}` } }, { branch })
await does('complete')
await store.close()
