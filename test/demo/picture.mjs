// Draws the terminal browser on sample sessions as docs/browse.svg: node test/demo/picture.mjs. It runs in tmux, which has
// to be installed.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const bin = fileURLToPath(new URL('../../bin/sess.js', import.meta.url))
const sessions = fileURLToPath(new URL('sessions', import.meta.url))
const picture = fileURLToPath(new URL('../../docs/browse.svg', import.meta.url))

const [COLUMNS, ROWS] = [118, 24]
const [CELL, LINE, MARGIN] = [8.4, 18, 14]

/** The foreground colours 30 to 37 of a dark terminal. */
const COLORS = ['#1e1e1e', '#f07178', '#98c379', '#e5c07b', '#61afef', '#c678dd', '#56b6c2', '#d7dae0']
const [FOREGROUND, BACKGROUND, DIM] = ['#d7dae0', '#1b1d23', '#7f848e']

/** Splits a captured line into texts with their styles. */
function spansOf(line) {
  const spans = []
  let style = { color: FOREGROUND, bold: false, dim: false, reverse: false }
  // oxlint-disable-next-line no-control-regex
  for (const [i, part] of line.split(/\x1b\[([\d;]*)m/).entries()) {
    if (i % 2 === 0) {
      if (part !== '') spans.push({ text: part, ...style })
      continue
    }
    for (const code of (part || '0').split(';').map(Number)) {
      if (code === 0) style = { color: FOREGROUND, bold: false, dim: false, reverse: false }
      else if (code === 1) style = { ...style, bold: true }
      else if (code === 2) style = { ...style, dim: true }
      else if (code === 22) style = { ...style, bold: false, dim: false }
      else if (code === 7) style = { ...style, reverse: true }
      else if (code === 27) style = { ...style, reverse: false }
      else if (code === 39) style = { ...style, color: FOREGROUND }
      else if (code >= 30 && code <= 37) style = { ...style, color: COLORS[code - 30] }
    }
  }
  return spans
}

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Returns a screen as SVG. */
function drawn(screen) {
  const [width, height] = [COLUMNS * CELL + 2 * MARGIN, ROWS * LINE + 2 * MARGIN]
  const parts = []
  for (const [y, line] of screen.split('\n').slice(0, ROWS).entries()) {
    let x = 0
    for (const { text, color, bold, dim, reverse } of spansOf(line)) {
      const [left, length] = [MARGIN + x * CELL, [...text].length * CELL]
      // Browsers leave out spaces at the ends of a text, so it begins and ends with another character.
      const words = text.trim()
      const start = left + (text.length - text.trimStart().length) * CELL
      const shade = dim ? DIM : color
      if (reverse)
        parts.push(
          `<rect x="${left.toFixed(1)}" y="${MARGIN + y * LINE}" width="${length.toFixed(1)}" height="${LINE}" fill="${shade}"/>`,
        )
      if (words !== '')
        parts.push(
          `<text x="${start.toFixed(1)}" y="${MARGIN + y * LINE + 13}" textLength="${([...words].length * CELL).toFixed(1)}" fill="${reverse ? BACKGROUND : shade}"${bold ? ' font-weight="bold"' : ''}>${escaped(words).replaceAll('  ', ' \u00a0')}</text>`,
        )
      x += [...text].length
    }
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width.toFixed(0)} ${height}" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">
<title>sess browse: sessions, the tree of one, and an entry of it</title>
<rect width="100%" height="100%" rx="8" fill="${BACKGROUND}"/>
${parts.join('\n')}
</svg>
`
}

const temp = mkdtempSync(join(tmpdir(), 'sess-picture-'))
const tmux = (...words) =>
  execFileSync('tmux', ['-L', `sess-picture-${process.pid}`, '-f', '/dev/null', ...words], {
    encoding: 'utf8',
    env: { ...process.env, HOME: temp, SESS_STORE: join(temp, 'store'), TZ: 'UTC', LANG: 'C.UTF-8' },
  })
try {
  const env = { ...process.env, HOME: temp, SESS_STORE: join(temp, 'store') }
  execFileSync(process.execPath, [bin, 'import', sessions], { env, stdio: 'ignore' })
  tmux('new-session', '-d', '-x', `${COLUMNS}`, '-y', `${ROWS}`, `${process.execPath} ${bin} browse`)
  for (const key of ['', 'G', 'Tab', 'g', 'j', 'j', 'j']) {
    await pause(1500)
    if (key !== '') tmux('send-keys', key)
  }
  await pause(1500)
  writeFileSync(picture, drawn(tmux('capture-pane', '-p', '-e')))
  tmux('kill-server')
} finally {
  rmSync(temp, { recursive: true, force: true })
}
