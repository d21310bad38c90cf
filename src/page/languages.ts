import bash from '@speed-highlight/core/languages/bash.js'
import c from '@speed-highlight/core/languages/c.js'
import css from '@speed-highlight/core/languages/css.js'
import diff from '@speed-highlight/core/languages/diff.js'
import go from '@speed-highlight/core/languages/go.js'
import html from '@speed-highlight/core/languages/html.js'
import js from '@speed-highlight/core/languages/js.js'
import json from '@speed-highlight/core/languages/json.js'
import py from '@speed-highlight/core/languages/py.js'
import rs from '@speed-highlight/core/languages/rs.js'
import sql from '@speed-highlight/core/languages/sql.js'
import toml from '@speed-highlight/core/languages/toml.js'
import ts from '@speed-highlight/core/languages/ts.js'
import yaml from '@speed-highlight/core/languages/yaml.js'
import { addLanguages } from './code.tsx'

/** Makes the languages known that agents write most. */
export const loadLanguages = (): void =>
  addLanguages({ bash, c, css, diff, go, html, js, json, py, rs, sql, toml, ts, yaml })
