/** `npm run docs`: the static site, in .site/. `--out DIR` writes it elsewhere. */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from '../files.ts'
import { orUsage } from '../usage.ts'
import { buildSite } from './site.ts'

const { values } = orUsage('npm run docs [-- --out DIR]', () =>
  parseArgs({ options: { out: { type: 'string', default: '.site' } } }),
)
const directory = resolve(root, values.out)
const startedAt = performance.now()
const pages = buildSite(directory)
const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
console.log(`${pages} pages in ${directory} (${seconds} s): open index.html, or serve the directory`)
