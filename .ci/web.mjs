// Runs after the compiler: joins the page that `sess serve` serves to dist/web, and what paints a file to share to one
// module of the library, so that neither asks for a package of its own.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'

const root = fileURLToPath(new URL('..', import.meta.url))
/** The folder is another one where a test builds the page for itself. */
const out = process.argv[2] ?? join(root, 'dist/web')

/** The size of the whole page, packed, in kilobytes of 1000 bytes. */
const MAX_KB = 60

/**
 * The page. With the condition `browser` a package decodes entities by setting `innerHTML`, which the policy of the page
 * forbids.
 */
const page = await rolldown({
  input: { main: join(root, 'src/web/main.tsx') },
  platform: 'browser',
  resolve: { conditionNames: ['production', 'import', 'default'] },
  // The package says so itself, in a second manifest that the bundler does not read.
  treeshake: { moduleSideEffects: [{ test: /node_modules[\\/]diff[\\/]/, sideEffects: false }] },
})
rmSync(out, { recursive: true, force: true })
await page.write({
  dir: out,
  format: 'esm',
  entryFileNames: '[name].js',
  codeSplitting: false,
  minify: true,
  comments: { legal: false, annotation: false, jsdoc: false },
})
await page.close()

const style = await rolldown({ input: join(root, 'src/page/style.ts'), platform: 'node' })
const { output } = await style.generate({ format: 'esm' })
await style.close()
const { STYLE } = await import(`data:text/javascript,${encodeURIComponent(output[0].code)}`)
mkdirSync(out, { recursive: true })
writeFileSync(join(out, 'style.css'), squeezed(STYLE + readFileSync(join(root, 'src/web/style.css'), 'utf8')))
for (const name of ['index.html', 'icon.svg']) copyFileSync(join(root, 'src/web', name), join(out, name))

/** Returns a style sheet without comments and line breaks. */
function squeezed(css) {
  return css
    .replace(/\/\*[^]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,>]) ?/g, '$1')
    .replace(/: /g, ':')
    .replace(/(?<=[:, (-])0\./g, '.')
    .replaceAll(';}', '}')
    .trim()
}

const sizes = readdirSync(out).map((name) => gzipSync(readFileSync(join(out, name)), { level: 9 }).length)
const kb = sizes.reduce((sum, size) => sum + size, 0) / 1000
if (kb > MAX_KB) throw new Error(`the page takes ${kb.toFixed(1)} kB packed, more than ${MAX_KB}`)

// The painter of files to share is a part of the library, which needs no package for it.
const painter = join(root, 'dist/page')
if (process.argv[2] === undefined && existsSync(painter)) {
  const file = await rolldown({
    input: join(root, 'src/page/file.tsx'),
    platform: 'node',
    external: ['diff'],
    transform: { jsx: { runtime: 'automatic', development: false } },
  })
  rmSync(painter, { recursive: true })
  await file.write({
    file: join(painter, 'file.js'),
    format: 'esm',
    comments: { annotation: false, legal: false },
  })
  await file.close()
}
