// Runs one function of a module beside this one in a process of its own, and prints what it gave as JSON.
const [module, name, input] = process.argv.slice(2)
const work = await import(new URL(`${module}.mjs`, import.meta.url))
const value = await work[name](JSON.parse(input))
process.stdout.write(JSON.stringify({ ...value, peak: process.resourceUsage().maxRSS * 1024 }))
