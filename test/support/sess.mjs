// Runs the command line.
// node sess.mjs BUILD WORD...
const [, , build, ...words] = process.argv
const { main } = await import(`${build}/cli/main.js`)
await main(words)
